/* master_worker [tasks] [width]: rank 0 gives tasks to free workers, as MPINU's master and slaves
 * do.
 *
 * Task t is to find the prime numbers from t * width to (t + 1) * width. An answer has as many
 * numbers as there are primes, so the master calls MPI_Probe before it receives it. With each
 * answer a worker sends a line for the log. The master reads the log at the very end, so that
 * messages of one tag wait while those of the other pass. Rank 0 compares everything with the same
 * work done alone. Without workers it does all the work. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum tag { TASK = 1, ANSWER, LOG, STOP };

static int is_prime(int number) {
  if (number < 2) return 0;
  for (int divisor = 2; divisor <= number / divisor; ++divisor) {
    if (number % divisor == 0) return 0;
  }
  return 1;
}

/* primes[0] is the task's number. Its primes follow. Returns the number of elements. */
static int do_task(int task, int width, int* primes) {
  int count = 0;
  primes[count++] = task;
  for (int number = task * width; number < (task + 1) * width; ++number) {
    if (is_prime(number)) primes[count++] = number;
  }
  return count;
}

static unsigned long long digest(const int* primes, int count) {
  unsigned long long value = 0;
  for (int i = 0; i < count; ++i) value = value * 1000003 + (unsigned long long)primes[i];
  return value;
}

/* Workers */

static void work(int width) {
  int* primes = malloc(((size_t)width + 1) * sizeof *primes);
  for (;;) {
    int task;
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) break;
    const int count = do_task(task, width, primes);
    char line[64];
    const int length = snprintf(line, sizeof line, "task %d: %d primes", task, count - 1);
    MPI_Send(line, length + 1, MPI_CHAR, 0, LOG, MPI_COMM_WORLD);
    MPI_Send(primes, count, MPI_INT, 0, ANSWER, MPI_COMM_WORLD);
  }
  free(primes);
}

/* The master */

/* Returns the sum of the digests of all answers, or ends the job if the log does not fit them. */
static unsigned long long deal_out(int tasks, int width, int size, int* found) {
  unsigned long long sum = 0;
  int next = 0, answers = 0, logged = 0;
  for (int worker = 1; worker < size && next < tasks; ++worker, ++next)
    MPI_Send(&next, 1, MPI_INT, worker, TASK, MPI_COMM_WORLD);
  while (answers < tasks) {
    MPI_Status status;
    int count;
    MPI_Probe(MPI_ANY_SOURCE, ANSWER, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    int* primes = malloc((size_t)count * sizeof *primes);
    MPI_Recv(primes, count, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += digest(primes, count);
    *found += count - 1;
    ++answers;
    free(primes);
    if (next < tasks) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
      ++next;
    }
  }
  for (int worker = 1; worker < size; ++worker)
    MPI_Send(NULL, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
  for (int i = 0; i < tasks; ++i) {
    char line[64];
    int task, primes;
    MPI_Recv(line, sizeof line, MPI_CHAR, MPI_ANY_SOURCE, LOG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (sscanf(line, "task %d: %d primes", &task, &primes) != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    logged += primes;
  }
  if (width > 0 && logged != *found) {
    fprintf(stderr, "master_worker: %d primes in the log and %d in the answers\n", logged, *found);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return sum;
}

static unsigned long long do_all(int tasks, int width, int* found) {
  int* primes = malloc(((size_t)width + 1) * sizeof *primes);
  unsigned long long sum = 0;
  for (int task = 0; task < tasks; ++task) {
    const int count = do_task(task, width, primes);
    sum += digest(primes, count);
    *found += count - 1;
  }
  free(primes);
  return sum;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int tasks = argc > 1 ? atoi(argv[1]) : 300;
  const int width = argc > 2 ? atoi(argv[2]) : 2000;
  if (rank != 0) {
    work(width);
  } else {
    int found = 0, serially_found = 0;
    const unsigned long long serial = do_all(tasks, width, &serially_found);
    const unsigned long long sum =
        size > 1 ? deal_out(tasks, width, size, &found) : do_all(tasks, width, &found);
    wrong = sum != serial || found != serially_found;
    printf("master_worker: %d tasks, %d primes: checksum %016llx%s\n", tasks, found, sum,
           wrong ? ", WRONG" : "");
  }
  MPI_Finalize();
  return wrong;
}
