/* Start, end, threads, and the attributes that the library sets on MPI_COMM_WORLD. */
#include <limits.h>

#include "check.h"

static int deleted = 0;

static int delete_value(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)value, (void)extra;
  int size = 0;
  CHECK(comm == MPI_COMM_SELF);
  CHECK(MPI_Comm_size(MPI_COMM_SELF, &size) == MPI_SUCCESS && size == 1); /* MPI still works */
  ++deleted;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int flag = 1, level = 0, again = 0;
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0);
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS &&
        level == MPI_THREAD_MULTIPLE);
  CHECK(MPI_Query_thread(&again) == MPI_SUCCESS && again == level);
  CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag == 1);
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 1);
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 0);

  int size = 0;
  int* value = NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc < 2 || size == atoi(argv[1]));
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag) == MPI_SUCCESS && flag == 1 &&
        *value == INT_MAX);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag) == MPI_SUCCESS &&
        flag == 1 && *value == size);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag) == MPI_SUCCESS &&
        flag == 1);

  int key = MPI_KEYVAL_INVALID;
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_value, &key, NULL) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &key) == MPI_SUCCESS);
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  CHECK(deleted == 1);
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 1);
  return 0;
}
