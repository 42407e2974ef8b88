/* sample_sort [keys]: sorts keys that are distributed over all processes, so that in the end rank r
 * has those between the keys of ranks r - 1 and r + 1.
 *
 * Each process sorts its own keys and offers samples. The bounds between ranks follow from all
 * samples. MPI_Alltoallv moves each key to its rank, which sorts again. Rank 0 compares the result
 * with qsort of all keys. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned key;

/* Key `i` of all. Some keys are equal. */
static key key_of(int i) {
  key value = (key)i * 2654435761u;
  value ^= value >> 13;
  value *= 3266489917u;
  value ^= value >> 16;
  return value % 5 == 0 ? value % 1000 : value;
}

static int compare(const void* a, const void* b) {
  const key x = *(const key*)a, y = *(const key*)b;
  return (x > y) - (x < y);
}

static void sort(key* keys, int count) { qsort(keys, (size_t)count, sizeof *keys, compare); }

static int sum_before(const int* counts, int* places, int size) {
  int sum = 0;
  for (int rank = 0; rank < size; ++rank) {
    places[rank] = sum;
    sum += counts[rank];
  }
  return sum;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int all = argc > 1 ? atoi(argv[1]) : 100000;
  const size_t ints = (size_t)size * sizeof(int);
  int *out_counts = calloc((size_t)size, sizeof(int)), *out_places = malloc(ints),
      *in_counts = malloc(ints), *in_places = malloc(ints);

  const int begin = (int)((long long)all * rank / size),
            count = (int)((long long)all * (rank + 1) / size) - begin;
  key* own = malloc(((size_t)count + 1) * sizeof *own);
  for (int i = 0; i < count; ++i) own[i] = key_of(begin + i);
  sort(own, count);

  /* As many samples from each process as there are processes, at equal distances. The bounds are
   * every size-th of all samples. */
  key *samples = calloc((size_t)size, sizeof *samples),
      *all_samples = malloc((size_t)size * (size_t)size * sizeof *samples);
  for (int i = 0; i < size && count > 0; ++i) samples[i] = own[(int)((long long)count * i / size)];
  MPI_Allgather(samples, size, MPI_UNSIGNED, all_samples, size, MPI_UNSIGNED, MPI_COMM_WORLD);
  sort(all_samples, size * size);

  /* Keys below bound r + 1 go to ranks up to r. */
  for (int i = 0, to = 0; i < count; ++i) {
    while (to + 1 < size && own[i] >= all_samples[(to + 1) * size]) ++to;
    ++out_counts[to];
  }
  MPI_Alltoall(out_counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
  sum_before(out_counts, out_places, size);
  int sorted_count = sum_before(in_counts, in_places, size);
  key* sorted = malloc(((size_t)sorted_count + 1) * sizeof *sorted);
  MPI_Alltoallv(own, out_counts, out_places, MPI_UNSIGNED, sorted, in_counts, in_places,
                MPI_UNSIGNED, MPI_COMM_WORLD);
  sort(sorted, sorted_count);

  key* result = malloc(((size_t)all + 1) * sizeof *result);
  MPI_Gather(&sorted_count, 1, MPI_INT, in_counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0 && sum_before(in_counts, in_places, size) != all) {
    fprintf(stderr, "sample_sort: %d keys were sorted; expected %d\n",
            sum_before(in_counts, in_places, size), all);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Gatherv(sorted, sorted_count, MPI_UNSIGNED, result, in_counts, in_places, MPI_UNSIGNED, 0,
              MPI_COMM_WORLD);
  if (rank == 0) {
    key* serial = malloc(((size_t)all + 1) * sizeof *serial);
    unsigned long long checksum = 0;
    for (int i = 0; i < all; ++i) serial[i] = key_of(i);
    sort(serial, all);
    wrong = memcmp(result, serial, (size_t)all * sizeof *serial) != 0;
    for (int i = 0; i < all; ++i) checksum = checksum * 31 + result[i];
    printf("sample_sort: %d keys: checksum %016llx%s\n", all, checksum, wrong ? ", WRONG" : "");
    free(serial);
  }
  free(result);
  free(sorted);
  free(all_samples);
  free(samples);
  free(own);
  free(in_places);
  free(in_counts);
  free(out_places);
  free(out_counts);
  MPI_Finalize();
  return wrong;
}
