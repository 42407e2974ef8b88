/* A source written for MPI-1, with names that were removed in MPI 3.0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 2);                                            \
    }                                                                          \
  } while (0)

struct particle {
  double place[3];
  char kind;
};

static int errors = 0;

static void count_errors(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++errors;
}

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint extent = -1;
  CHECK(MPI_Type_extent(type, &extent) == MPI_SUCCESS);
  return extent;
}

/* An array of particles as old programs describe it: the upper bound makes the extent that of the
 * structure. */
static void particles_travel(void) {
  int lengths[3] = {3, 1, 1}, rank, size, i;
  MPI_Aint places[3], start, lower = -1, upper = -1;
  MPI_Datatype types[3] = {MPI_DOUBLE, MPI_CHAR, MPI_UB}, type;
  struct particle out[4], in[4];
  MPI_Status status;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(MPI_Address(&out[0], &start) == MPI_SUCCESS);
  CHECK(MPI_Address(&out[0].place, &places[0]) == MPI_SUCCESS &&
        MPI_Address(&out[0].kind, &places[1]) == MPI_SUCCESS);
  CHECK(MPI_Address(&out[1], &places[2]) == MPI_SUCCESS);
  for (i = 0; i < 3; ++i) places[i] -= start;
  CHECK(MPI_Type_struct(3, lengths, places, types, &type) == MPI_SUCCESS &&
        MPI_Type_commit(&type) == MPI_SUCCESS);
  CHECK(extent_of(type) == (MPI_Aint)sizeof(struct particle));
  CHECK(MPI_Type_lb(type, &lower) == MPI_SUCCESS && lower == 0);
  CHECK(MPI_Type_ub(type, &upper) == MPI_SUCCESS && upper == (MPI_Aint)sizeof(struct particle));
  for (i = 0; i < 4; ++i) {
    out[i].place[0] = rank, out[i].place[1] = i, out[i].place[2] = 7;
    out[i].kind = (char)('a' + i);
  }
  CHECK(MPI_Sendrecv(out, 4, type, (rank + 1) % size, 0, in, 4, type, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  for (i = 0; i < 4; ++i) {
    CHECK(in[i].place[0] == (rank + size - 1) % size && in[i].place[1] == i &&
          in[i].place[2] == 7 && in[i].kind == 'a' + i);
  }
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
}

static MPI_Datatype marked(MPI_Aint lower, MPI_Aint place, MPI_Datatype inner, MPI_Aint upper) {
  int lengths[3] = {1, 1, 1};
  MPI_Aint places[3];
  MPI_Datatype types[3], type;
  places[0] = lower, places[1] = place, places[2] = upper;
  types[0] = MPI_LB, types[1] = inner, types[2] = MPI_UB;
  /* old programs use them with these functions too */
  CHECK(MPI_Type_create_struct(3, lengths, places, types, &type) == MPI_SUCCESS);
  return type;
}

static void bounds_are_as_marked(void) {
  MPI_Aint bound = 0;
  MPI_Datatype type = marked(-4, 8, MPI_INT, 20), outer;
  CHECK(MPI_Type_lb(type, &bound) == MPI_SUCCESS && bound == -4);
  CHECK(MPI_Type_ub(type, &bound) == MPI_SUCCESS && bound == 20 && extent_of(type) == 24);
  outer = marked(0, 0, type, 16); /* the bounds of its parts are farther out */
  CHECK(MPI_Type_lb(outer, &bound) == MPI_SUCCESS && bound == -4);
  CHECK(MPI_Type_ub(outer, &bound) == MPI_SUCCESS && bound == 20);
  CHECK(MPI_Type_free(&outer) == MPI_SUCCESS && MPI_Type_free(&type) == MPI_SUCCESS);
  type = marked(2, 0, MPI_INT, 3); /* inside the data */
  CHECK(MPI_Type_lb(type, &bound) == MPI_SUCCESS && bound == 2 && extent_of(type) == 1);
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
}

static void others(void) {
  int lengths[2] = {1, 2};
  MPI_Aint places[2] = {0, 12};
  MPI_Datatype type;
  CHECK(MPI_Type_hvector(3, 1, 16, MPI_INT, &type) == MPI_SUCCESS && extent_of(type) == 36);
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
  CHECK(MPI_Type_hindexed(2, lengths, places, MPI_INT, &type) == MPI_SUCCESS &&
        extent_of(type) == 20);
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
}

static void errors_are_handled(void) {
  MPI_Errhandler handler, found;
  MPI_Handler_function* function = count_errors;
  int size;
  CHECK(MPI_Errhandler_create(function, &handler) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_set(MPI_COMM_WORLD, handler) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_get(MPI_COMM_WORLD, &found) == MPI_SUCCESS);
  CHECK(MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_SUCCESS && errors == 1);
  CHECK(MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && MPI_Errhandler_free(&found) == MPI_SUCCESS);
  CHECK(MPI_Type_size(MPI_INT, &size) == MPI_SUCCESS && size == (int)sizeof(int));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  particles_travel();
  bounds_are_as_marked();
  others();
  errors_are_handled();
  MPI_Finalize();
  return 0;
}
