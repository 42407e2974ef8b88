#include "exchange.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int job_rank = -1, job_size;
ptl_process_t *job_names;
void *job_board;

static pthread_barrier_t *barrier;
/* of each thread; the deadline reports that of the first */
static __thread const char *step_what = "nothing", *step_file = "";
static __thread int step_line;

static const char *code_name(int code) {
  static const char *const names[] = {"PTL_OK",         "PTL_ARG_INVALID",  "PTL_CT_NONE_REACHED",
                                      "PTL_EQ_DROPPED", "PTL_EQ_EMPTY",     "PTL_FAIL",
                                      "PTL_IGNORED",    "PTL_IN_USE",       "PTL_LIST_TOO_LONG",
                                      "PTL_NO_INIT",    "PTL_NO_SPACE",     "PTL_PID_IN_USE",
                                      "PTL_PT_FULL",    "PTL_PT_EQ_NEEDED", "PTL_PT_IN_USE",
                                      "PTL_ABORTED"};
  return code >= 0 && code < (int)(sizeof names / sizeof names[0]) ? names[code]
                                                                   : "an unknown code";
}

static const char *event_name(int type) {
  static const char *const names[] = {"GET",          "GET_OVERFLOW",
                                      "PUT",          "PUT_OVERFLOW",
                                      "ATOMIC",       "ATOMIC_OVERFLOW",
                                      "FETCH_ATOMIC", "FETCH_ATOMIC_OVERFLOW",
                                      "REPLY",        "SEND",
                                      "ACK",          "PT_DISABLED",
                                      "LINK",         "AUTO_UNLINK",
                                      "AUTO_FREE",    "SEARCH"};
  return type >= 0 && type < (int)(sizeof names / sizeof names[0]) ? names[type]
                                                                   : "an unknown event";
}

static void on_deadline(int number) {
  char line[512];
  (void)number;
  int length =
      snprintf(line, sizeof line, "process %d: not done by the deadline; last call: %s:%d: %s\n",
               job_rank, step_file, step_line, step_what);
  if (write(STDERR_FILENO, line, (size_t)length) < 0) _exit(3);
  _exit(2);
}

void job_step(const char *what, const char *file, int line) {
  step_what = what;
  step_file = file;
  step_line = line;
}

void job_fail(const char *what, const char *file, int line) {
  fprintf(stderr, "process %d: %s:%d: %s\n", job_rank, file, line, what);
  _exit(1);
}

void job_check(int code, int wanted, const char *what, const char *file, int line) {
  if (code == wanted) return;
  fprintf(stderr, "process %d: %s:%d: %s returned %s, not %s\n", job_rank, file, line, what,
          code_name(code), code_name(wanted));
  _exit(1);
}

void job_equal(uint64_t a, uint64_t b, const char *what, const char *file, int line) {
  if (a == b) return;
  fprintf(stderr, "process %d: %s:%d: %s: %llu is not %llu\n", job_rank, file, line, what,
          (unsigned long long)a, (unsigned long long)b);
  _exit(1);
}

int job_run(const char *name, int processes, unsigned int seconds, void (*body)(void)) {
  pid_t children[JOB_MOST];
  pthread_barrierattr_t attributes;
  int bad = 0;
  char *shared =
      mmap(NULL, 4096 + JOB_BOARD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  job_size = processes;
  barrier = (pthread_barrier_t *)(void *)shared;
  job_names = (ptl_process_t *)(void *)(shared + 1024);
  job_board = shared + 4096;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(barrier, &attributes, (unsigned int)processes);
  fflush(NULL);
  for (int i = 0; i < processes; ++i) {
    children[i] = fork();
    if (children[i] == 0) {
      job_rank = i;
      signal(SIGALRM, on_deadline);
      alarm(seconds);
      body();
      exit(0);
    }
    if (children[i] < 0) return 1;
  }
  for (int left = processes; left > 0; --left) {
    int status = 0;
    pid_t pid = wait(&status);
    for (int i = 0; i < processes; ++i) {
      if (children[i] == pid) children[i] = 0;
    }
    if (status == 0) continue;
    if (WIFSIGNALED(status) && !bad)
      fprintf(stderr, "%s: a process died of signal %d\n", name, WTERMSIG(status));
    if (bad++ > 0) continue;
    /* the deadline of the others, which then also report where they are */
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) sleep(1);
    for (int i = 0; i < processes; ++i) {
      if (children[i] > 0) kill(children[i], SIGKILL);
    }
  }
  if (bad) return 1;
  printf("%s: ok\n", name);
  return 0;
}

int job_main(int argc, char **argv, const char *name, int most, unsigned int seconds,
             void (*body)(void)) {
  char *end = NULL;
  long processes = argc == 2 ? strtol(argv[1], &end, 10) : most;
  if (argc > 2 || (end != NULL && (end == argv[1] || *end != 0)) || processes < 2 ||
      processes > most) {
    fprintf(stderr, "usage: %s [number of processes, 2 to %d]\n", argv[0], most);
    return 2;
  }
  return job_run(name, (int)processes, seconds, body);
}

void job_barrier(void) {
  const char *what = step_what;
  step_what = "job_barrier";
  /* makes the writes of this process visible to the operations of others, and theirs to it */
  PtlAtomicSync();
  pthread_barrier_wait(barrier);
  PtlAtomicSync();
  step_what = what;
}

void job_publish(ptl_handle_ni_t ni) {
  CHECK(PtlGetPhysId(ni, &job_names[job_rank]));
  job_barrier();
  for (int r = 0; r < job_size; ++r) {
    REQUIRE(r == job_rank || job_names[r].phys.nid != job_names[job_rank].phys.nid ||
            job_names[r].phys.pid != job_names[job_rank].phys.pid);
  }
}

static unsigned char pattern_byte(size_t i, unsigned int seed) {
  uint64_t mixed =
      ((uint64_t)i + 1) * 0x9e3779b97f4a7c15ULL + (uint64_t)seed * 0xd1342543de82ef95ULL;
  return (unsigned char)(mixed >> 56);
}

void pattern_fill(void *memory, size_t length, unsigned int seed) {
  for (size_t i = 0; i < length; ++i) ((unsigned char *)memory)[i] = pattern_byte(i, seed);
}

void pattern_check_at(const void *memory, size_t length, unsigned int seed, const char *file,
                      int line) {
  for (size_t i = 0; i < length; ++i) {
    if (((const unsigned char *)memory)[i] == pattern_byte(i, seed)) continue;
    fprintf(stderr, "process %d: %s:%d: byte %zu of %zu is wrong (pattern %u)\n", job_rank, file,
            line, i, length, seed);
    _exit(1);
  }
}

void bytes_check_at(const void *memory, size_t length, unsigned char value, const char *file,
                    int line) {
  for (size_t i = 0; i < length; ++i) {
    if (((const unsigned char *)memory)[i] == value) continue;
    fprintf(stderr, "process %d: %s:%d: byte %zu of %zu should be untouched\n", job_rank, file,
            line, i, length);
    _exit(1);
  }
}

void count_wait_at(ptl_handle_ct_t ct, ptl_size_t success, const char *file, int line) {
  ptl_ct_event_t value;
  job_step("count_wait", file, line);
  job_check(PtlCTWait(ct, success, &value), PTL_OK, "PtlCTWait", file, line);
  if (value.failure == 0 && value.success >= success) return;
  fprintf(stderr, "process %d: %s:%d: counter has %llu successes of %llu, and %llu failures\n",
          job_rank, file, line, (unsigned long long)value.success, (unsigned long long)success,
          (unsigned long long)value.failure);
  _exit(1);
}

ptl_event_t event_wait_at(ptl_handle_eq_t eq, ptl_event_kind_t type, const char *file, int line) {
  ptl_event_t event;
  job_step("event_wait", file, line);
  job_check(PtlEQWait(eq, &event), PTL_OK, "PtlEQWait", file, line);
  if (event.type == type && event.ni_fail_type == PTL_NI_OK) return event;
  fprintf(stderr, "process %d: %s:%d: %s with ni_fail_type %d came, not %s\n", job_rank, file, line,
          event_name(event.type), event.ni_fail_type, event_name(type));
  _exit(1);
}

ptl_handle_md_t whole_memory(ptl_handle_ni_t ni, unsigned int options, ptl_handle_eq_t eq,
                             ptl_handle_ct_t ct) {
  ptl_md_t md = {
      .start = NULL, .length = PTL_SIZE_MAX, .options = options, .eq_handle = eq, .ct_handle = ct};
  ptl_handle_md_t handle = PTL_INVALID_HANDLE;
  CHECK(PtlMDBind(ni, &md, &handle));
  return handle;
}
