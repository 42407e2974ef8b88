/* A rank that a signal ends, or that takes one itself: signals_program <what> <signal>
 *   die    the last rank is ended by the signal, as programs are: by a bad pointer, abort(), or
 *          raise(); the others wait for a message of its
 *   wait   each rank says its process id and waits for a message that nobody sends
 *   own    each rank has a handler of its own from before MPI_Init, raises the signal afterwards,
 *          and goes on
 *   show   each rank says which signals do something, before MPI_Init and after MPI_Finalize */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile sig_atomic_t taken;

static void take(int number) { taken = number; }

static void die(int number) {
  int* volatile nowhere = NULL;
  if (number == SIGSEGV) *nowhere = 1;
  if (number == SIGABRT) abort();
  raise(number);
}

static void show(const char* when) {
  printf("%s:", when);
  for (int number = 1; number < 32; ++number) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
      printf(" %d%s", number, now.sa_handler == SIG_IGN ? " is ignored" : " has a handler");
  }
  printf("\n");
}

int main(int count, char** arguments) {
  const struct rlimit no_core = {0, 0};
  int rank, size, number, nothing = 0;
  if (count != 3) return 2;
  number = atoi(arguments[2]);
  setrlimit(RLIMIT_CORE, &no_core);
  if (strcmp(arguments[1], "own") == 0) signal(number, take);
  if (strcmp(arguments[1], "show") == 0) show("before");
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(arguments[1], "die") == 0) {
    if (rank == size - 1) die(number);
    MPI_Recv(&nothing, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(arguments[1], "wait") == 0) {
    printf("%d\n", (int)getpid());
    fflush(stdout);
    MPI_Recv(&nothing, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(arguments[1], "own") == 0) {
    raise(number);
    printf("rank %d took %d\n", rank, (int)taken);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (strcmp(arguments[1], "show") == 0) show("after");
  return 0;
}
