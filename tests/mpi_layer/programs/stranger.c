/* Nobody but the ranks of a job reaches one. Rank 0 starts a process without the secret of the job,
 * which puts to it by Portals; the put must fail, and the ranks must not notice. */
#include <portals3.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

extern char** environ;

/* The process without the secret. Returns 0 if its put fails. */
static int be_the_stranger(const char* nid, const char* pid) {
  int interfaces = 0;
  ptl_handle_ni_t ni;
  ptl_handle_eq_t queue;
  ptl_handle_md_t bound;
  static char memory[64];
  if (PtlInit(&interfaces) != PTL_OK ||
      PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni) != PTL_OK ||
      PtlEQAlloc(ni, 16, PTL_EQ_HANDLER_NONE, &queue) != PTL_OK)
    return 3;
  ptl_md_t md = {.start = memory,
                 .length = sizeof memory,
                 .threshold = PTL_MD_THRESH_INF,
                 .options = PTL_MD_EVENT_START_DISABLE,
                 .eq_handle = queue};
  if (PtlMDBind(ni, md, PTL_RETAIN, &bound) != PTL_OK) return 3;
  const ptl_process_id_t rank = {(ptl_nid_t)strtoul(nid, NULL, 10),
                                 (ptl_pid_t)strtoul(pid, NULL, 10)};
  if (PtlPut(bound, PTL_ACK_REQ, rank, 4, 0, 1, 0, 0) != PTL_OK) return 3;
  ptl_event_t event;
  if (PtlEQWait(queue, &event) != PTL_OK) return 3;
  return event.ni_fail_type != PTL_NI_OK ? 0 : 1;
}

/* Starts the stranger, without what it would find in the environment of a rank. */
static int run_the_stranger(const char* program, ptl_process_id_t own) {
  static char* environment[1000];
  size_t count = 0;
  for (char** variable = environ; *variable != NULL && count < 999; ++variable) {
    if (strncmp(*variable, "PM", 2) != 0 && strncmp(*variable, "LINTEL_SECRET_FILE=", 19) != 0)
      environment[count++] = *variable;
  }
  char nid[16], pid[16];
  snprintf(nid, sizeof nid, "%lu", (unsigned long)own.nid);
  snprintf(pid, sizeof pid, "%lu", (unsigned long)own.pid);
  char* arguments[] = {(char*)program, "stranger", nid, pid, NULL};
  pid_t child = 0;
  int status = 0;
  CHECK(posix_spawn(&child, program, NULL, NULL, arguments, environment) == 0);
  CHECK(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char** arguments) {
  if (count == 4) return be_the_stranger(arguments[2], arguments[3]);
  begin();
  CHECK(world_size == 2);
  int number = 0;
  if (world_rank == 0) {
    int interfaces = 0;
    ptl_handle_ni_t ni;
    ptl_process_id_t own;
    CHECK(PtlInit(&interfaces) == PTL_OK);
    CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni) == PTL_OK);
    CHECK(PtlGetId(ni, &own) == PTL_OK);
    CHECK(run_the_stranger(arguments[0], own) == 0);
    PtlFini();
    number = 7;
    MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(number == 7);
  }
  MPI_Finalize();
  return 0;
}
