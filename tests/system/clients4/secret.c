/* A process with a job's secret, and a stranger without one that knows everything else about it:
 * address, portal, match bits. Nothing that the stranger sends reaches a match list, whichever
 * interface it asks for; its operations fail; both ends say why, and the counter rises. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exchange.h"

enum { MEMBER, STRANGER, PROCESSES, PORTAL = 3, BITS = 7, BYTES = 64 };

static const unsigned int kinds[] = {PTL_NI_MATCHING | PTL_NI_PHYSICAL,
                                     PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL};
enum { KINDS = sizeof kinds / sizeof *kinds };
static char folder[] = "/tmp/lintel_secret4.XXXXXX";

static const char *in_folder(const char *name, int rank) {
  static char path[100];
  snprintf(path, sizeof path, "%s/%s%d", folder, name, rank);
  return path;
}

static void set_environment(void) {
  setenv("LINTEL_LOG_FILE", in_folder("log", job_rank), 1);
  setenv("LINTEL_COUNTERS_FILE", in_folder("counters", job_rank), 1);
  if (job_rank == MEMBER) {
    setenv("LINTEL_SECRET_FILE", in_folder("secret", MEMBER), 1);
  } else {
    unsetenv("LINTEL_SECRET_FILE");
  }
}

/* The entry is open to everybody. */
static void expose(ptl_handle_ni_t ni, int matching, char *memory, ptl_handle_eq_t eq) {
  ptl_pt_index_t portal;
  ptl_handle_me_t handle;
  CHECK(PtlPTAlloc(ni, 0, eq, PORTAL, &portal));
  if (matching) {
    ptl_me_t me = {.start = memory,
                   .length = BYTES,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE,
                   .match_bits = BITS};
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    CHECK(PtlMEAppend(ni, portal, &me, PTL_PRIORITY_LIST, NULL, &handle));
  } else {
    ptl_le_t le = {.start = memory,
                   .length = BYTES,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE};
    CHECK(PtlLEAppend(ni, portal, &le, PTL_PRIORITY_LIST, NULL, &handle));
  }
}

static void expect_failure(ptl_handle_eq_t eq) {
  ptl_event_t event;
  CHECK(PtlEQWait(eq, &event));
  REQUIRE(event.ni_fail_type != PTL_NI_OK);
}

static void put_and_get(ptl_handle_ni_t ni, ptl_handle_eq_t eq) {
  static char memory[BYTES] = "a stranger's";
  ptl_handle_md_t handle;
  const ptl_md_t md = {
      .start = memory, .length = BYTES, .eq_handle = eq, .ct_handle = PTL_CT_NONE};
  CHECK(PtlMDBind(ni, &md, &handle));
  CHECK(PtlPut(handle, 0, BYTES, PTL_NO_ACK_REQ, job_names[MEMBER], PORTAL, BITS, 0, NULL, 0));
  expect_failure(eq);
  CHECK(PtlGet(handle, 0, BYTES, job_names[MEMBER], PORTAL, BITS, 0, NULL));
  expect_failure(eq);
  REQUIRE(strcmp(memory, "a stranger's") == 0);
}

static void body(void) {
  static char memory[BYTES] = "the member's";
  ptl_handle_ni_t ni[KINDS];
  ptl_handle_eq_t eq[KINDS];
  ptl_event_t event;
  int i;
  set_environment();
  CHECK(PtlInit());
  for (i = 0; i < KINDS; ++i) {
    CHECK(PtlNIInit(PTL_IFACE_DEFAULT, kinds[i], PTL_PID_ANY, NULL, NULL, &ni[i]));
    CHECK(PtlEQAlloc(ni[i], 64, &eq[i]));
    if (job_rank == MEMBER) expose(ni[i], kinds[i] == kinds[0], memory, eq[i]);
  }
  job_publish(ni[0]);
  for (i = 0; i < KINDS && job_rank == STRANGER; ++i) put_and_get(ni[i], eq[i]);
  job_barrier();
  for (i = 0; i < KINDS && job_rank == MEMBER; ++i) EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq[i], &event));
  REQUIRE(strcmp(memory, "the member's") == 0);
  job_barrier();
  for (i = 0; i < KINDS; ++i) CHECK(PtlNIFini(ni[i]));
  PtlFini();
}

/* Whether the file has a line that contains `text`, followed by a number above 0 if `counts`. */
static int has(const char *name, int rank, const char *text, int counts) {
  char line[1000];
  int found = 0;
  FILE *const file = fopen(in_folder(name, rank), "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const char *const at = strstr(line, text);
    if (at != NULL && (!counts || strtol(at + strlen(text), NULL, 10) > 0)) found = 1;
  }
  if (file != NULL) fclose(file);
  if (!found) fprintf(stderr, "secret: '%s' is not in %s of process %d\n", text, name, rank);
  return found;
}

int main(void) {
  int i, code, file;
  if (mkdtemp(folder) == NULL) return EXIT_FAILURE;
  file = open(in_folder("secret", MEMBER), O_WRONLY | O_CREAT, 0600);
  if (file < 0 || write(file, "sixteen bytes!!\n", 16) != 16) return EXIT_FAILURE;
  close(file);
  code = job_run("secret", PROCESSES, 60, body);
  if (code == EXIT_SUCCESS &&
      !(has("log", MEMBER, "it has no job secret and this process has one", 0) &
        has("log", STRANGER, "the peer has a job secret and this process has none", 0) &
        has("counters", MEMBER, "contacts_refused ", 1)))
    code = EXIT_FAILURE;
  for (i = 0; i < PROCESSES; ++i) {
    unlink(in_folder("log", i));
    unlink(in_folder("counters", i));
    unlink(in_folder("secret", i));
  }
  rmdir(folder);
  return code;
}
