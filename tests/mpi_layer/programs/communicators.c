/* Making, comparing and freeing communicators. Messages of different communicators do not match. */
#include <string.h>
#include <time.h>

#include "check.h"

static int copies = 0, deletes = 0;
static int copy_value(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}
static int delete_value(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletes;
  return MPI_SUCCESS;
}

static int result_of(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  CHECK(MPI_Comm_compare(a, b, &result) == MPI_SUCCESS);
  return result;
}

/* A message around the communicator. */
static void go_around(MPI_Comm comm) {
  int rank, size, in = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  CHECK(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT,
                     (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(in == (rank + size - 1) % size);
}

static void duplicates(void) {
  int key, flag = 0, length = 0;
  char name[MPI_MAX_OBJECT_NAME];
  void* value = NULL;
  MPI_Comm copy;
  CHECK(MPI_Comm_create_keyval(copy_value, delete_value, &key, NULL) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &copies) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  CHECK(result_of(copy, MPI_COMM_WORLD) == MPI_CONGRUENT && result_of(copy, copy) == MPI_IDENT);
  CHECK(copies == 1 && MPI_Comm_get_attr(copy, key, &value, &flag) == MPI_SUCCESS && flag == 1 &&
        value == &copies);
  value = NULL; /* by the old names */
  CHECK(MPI_Attr_get(copy, key, &value, &flag) == MPI_SUCCESS && flag == 1 && value == &copies);
  int old_key = MPI_KEYVAL_INVALID;
  CHECK(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &old_key, NULL) == MPI_SUCCESS &&
        old_key != MPI_KEYVAL_INVALID);
  CHECK(MPI_Attr_put(copy, old_key, name) == MPI_SUCCESS &&
        MPI_Attr_delete(copy, old_key) == MPI_SUCCESS);
  CHECK(MPI_Attr_get(copy, old_key, &value, &flag) == MPI_SUCCESS && flag == 0 &&
        MPI_Keyval_free(&old_key) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length) == MPI_SUCCESS &&
        strcmp(name, "MPI_COMM_WORLD") == 0);
  CHECK(MPI_Comm_get_name(copy, name, &length) == MPI_SUCCESS && length == 0);
  CHECK(MPI_Comm_set_name(copy, "mine") == MPI_SUCCESS);
  CHECK(MPI_Comm_get_name(copy, name, &length) == MPI_SUCCESS && length == 4);

  /* The same envelope in two communicators. */
  int one = 1, two = 2, got = 0;
  MPI_Request requests[2];
  MPI_Isend(&one, 1, MPI_INT, world_rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&two, 1, MPI_INT, world_rank, 0, copy, &requests[1]);
  CHECK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        got == 2);
  CHECK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        got == 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS && copy == MPI_COMM_NULL && deletes == 1);
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS &&
        MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
  CHECK(deletes == 2);
}

static void splits(void) {
  MPI_Comm half, reversed, node, job, none;
  int rank = -1, size = 0;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half) == MPI_SUCCESS);
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  CHECK(rank == world_rank / 2 && size == (world_size + 1 - world_rank % 2) / 2);
  go_around(half);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed) == MPI_SUCCESS);
  MPI_Comm_rank(reversed, &rank);
  CHECK(rank == world_size - 1 - world_rank);
  CHECK(result_of(reversed, MPI_COMM_WORLD) == (world_size > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
  go_around(reversed);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) ==
        MPI_SUCCESS);
  /* All ranks of a job are on this machine. A client of IMPI has its rank at the beginning of its
   * name. */
  const char* const client = getenv("LINTEL_IMPI");
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, client != NULL ? atoi(client) : 0, 0, &job) == MPI_SUCCESS);
  CHECK(result_of(node, job) == MPI_CONGRUENT);
  CHECK(client != NULL || result_of(job, MPI_COMM_WORLD) == MPI_CONGRUENT);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? 0 : MPI_UNDEFINED, 0, &none) ==
        MPI_SUCCESS);
  CHECK((none == MPI_COMM_NULL) == (world_rank != 0));
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&node);
  MPI_Comm_free(&job);
}

/* Members whose lowest free contexts differ, because each has another number of communicators of
 * its own, agree nevertheless. */
static void unequal_members(void) {
  enum { MOST = 8 };
  MPI_Comm made[MOST + 2];
  const int own = world_rank % MOST;
  for (int i = 0; i < own; ++i) CHECK(MPI_Comm_dup(MPI_COMM_SELF, &made[i]) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &made[own]) == MPI_SUCCESS);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &made[own + 1]) == MPI_SUCCESS);
  go_around(made[own]);
  go_around(made[own + 1]);
  /* The same envelope in all of them. */
  for (int i = 0; i < own + 2; ++i) {
    int rank;
    MPI_Comm_rank(made[i], &rank);
    /* short: it does not wait for its receive */
    CHECK(MPI_Send(&i, 1, MPI_INT, rank, 0, made[i]) == MPI_SUCCESS);
  }
  for (int i = own + 1; i >= 0; --i) {
    int got = -1;
    CHECK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, made[i], MPI_STATUS_IGNORE) ==
              MPI_SUCCESS &&
          got == i);
    MPI_Comm_free(&made[i]);
  }
}

static void groups(void) {
  MPI_Group all, first;
  MPI_Comm created, alone;
  const int zero = 0;
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS);
  CHECK(MPI_Group_incl(all, 1, &zero, &first) == MPI_SUCCESS);
  CHECK(MPI_Comm_create(MPI_COMM_WORLD, first, &created) == MPI_SUCCESS);
  CHECK((created == MPI_COMM_NULL) == (world_rank != 0));
  if (world_rank == 0) {
    CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, first, 3, &alone) == MPI_SUCCESS);
    CHECK(result_of(alone, created) == MPI_CONGRUENT);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&created);
  }
  CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, all, 4, &created) == MPI_SUCCESS);
  go_around(created);
  MPI_Comm_free(&created);
  MPI_Group_free(&first);
  MPI_Group_free(&all);
}

static double machine_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* No rank returns from MPI_Comm_disconnect before all have called it. */
static void disconnects(void) {
  MPI_Comm copy;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  go_around(copy);
  if (world_rank == 0) {
    const struct timespec a_while = {0, 50000000};
    nanosleep(&a_while, NULL);
  }
  double called = machine_time();
  CHECK(MPI_Comm_disconnect(&copy) == MPI_SUCCESS && copy == MPI_COMM_NULL);
  const double returned = machine_time();
  CHECK(MPI_Bcast(&called, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD) == MPI_SUCCESS && called <= returned);
}

int main(void) {
  begin();
  duplicates();
  splits();
  unequal_members();
  groups();
  disconnects();
  /* Contexts are reused: more communicators than there would be contexts otherwise. */
  for (int i = 0; i < 300; ++i) {
    MPI_Comm copy;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    if (i % 100 == 0) go_around(copy);
    CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS);
  }
  MPI_Finalize();
  return 0;
}
