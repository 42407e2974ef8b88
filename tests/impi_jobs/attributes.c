/* The attributes of IMPI: attributes CLIENT... with the client of each rank, which is also its
 * host; without arguments: a job that is no client. */
#include "../mpi_layer/programs/check.h"

static int keys[4];

/* -1: not set. */
static int value_of(MPI_Comm comm, int key) {
  int flag = -1;
  int* value = NULL;
  CHECK(MPI_Comm_get_attr(comm, key, &value, &flag) == MPI_SUCCESS && (flag == 0 || flag == 1));
  return flag ? *value : -1;
}

static void check(MPI_Comm comm, int size, int color) {
  CHECK(value_of(comm, IMPI_CLIENT_SIZE) == size && value_of(comm, IMPI_CLIENT_COLOR) == color);
  CHECK(value_of(comm, IMPI_HOST_SIZE) == size && value_of(comm, IMPI_HOST_COLOR) == color);
}

/* How many clients are among the first `ranks` ranks of the world. Clients are in order. */
static int clients_among(char** clients, int ranks) {
  int count = 0;
  for (int rank = 0; rank < ranks; ++rank)
    count += rank == 0 || atoi(clients[rank]) != atoi(clients[rank - 1]);
  return count;
}

int main(int argc, char** argv) {
  char** const clients = argv + 1;
  begin();
  keys[0] = IMPI_CLIENT_SIZE, keys[1] = IMPI_CLIENT_COLOR, keys[2] = IMPI_HOST_SIZE,
  keys[3] = IMPI_HOST_COLOR;
  const int is_client = argc > 1;
  CHECK(!is_client || argc == world_size + 1);
  const int color = is_client ? clients_among(clients, world_rank + 1) - 1 : -1;
  const int size = is_client ? clients_among(clients, world_size) : -1;
  check(MPI_COMM_WORLD, size, color);
  check(MPI_COMM_SELF, is_client ? 1 : -1, is_client ? 0 : -1);

  MPI_Comm copy;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  check(copy, size, color);
  CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS);

  if (is_client) { /* the color divides the world into its clients */
    MPI_Comm own;
    int own_size = 0, same = 0;
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, value_of(MPI_COMM_WORLD, IMPI_CLIENT_COLOR), 0, &own) ==
          MPI_SUCCESS);
    MPI_Comm_size(own, &own_size);
    for (int rank = 0; rank < world_size; ++rank)
      same += atoi(clients[rank]) == atoi(clients[world_rank]);
    CHECK(own_size == same);
    check(own, 1, 0);
    CHECK(MPI_Comm_free(&own) == MPI_SUCCESS);
  }

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* errors of keys are raised there */
  for (int i = 0; i < 4; ++i) { /* the program may not create them */
    int key = keys[i];
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, keys) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_free_keyval(&key) == MPI_ERR_KEYVAL);
  }
  return MPI_Finalize();
}
