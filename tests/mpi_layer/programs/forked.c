/* A child of fork() is no process of the job: its calls of MPI end it with one sentence, which
 * forked.sh checks, and end nothing else. Its parent goes on. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Returns how the child that runs `call` ends. */
static int end_of_child(void (*call)(void)) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    call();
    _exit(7);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void receive(void) {
  int number;
  MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void finalize(void) { MPI_Finalize(); }
static void abort_all(void) { MPI_Abort(MPI_COMM_WORLD, 9); }
static void ask(void) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  _exit(initialized == 1 && finalized == 1 ? 0 : 8);
}

int main(void) {
  int number = 1, sum = 0;
  begin();
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size);
  printf("rank %d", world_rank); /* stays in the buffer: a child must not write it too */
  CHECK(end_of_child(barrier) == 1);
  CHECK(end_of_child(receive) == 1);
  CHECK(end_of_child(finalize) == 1);
  CHECK(end_of_child(abort_all) == 9);
  CHECK(end_of_child(ask) == 0);
  printf(": ok\n");
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size);
  MPI_Finalize();
  return 0;
}
