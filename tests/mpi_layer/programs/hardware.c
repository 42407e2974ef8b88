/* Communicators of parts of the machine, and of nothing (MPI 5.0, clauses 7.4.2 and 7.8). */
#include <string.h>

#include "check.h"

static int comparison(MPI_Comm one, MPI_Comm other) {
  int result = -1;
  CHECK(MPI_Comm_compare(one, other, &result) == MPI_SUCCESS);
  return result;
}

/* The groups of ranks that hints of hardware make: those of one machine, or none. */
static MPI_Comm split_by(int kind, const char* key, const char* value) {
  MPI_Comm part = MPI_COMM_SELF;
  MPI_Info info = MPI_INFO_NULL;
  if (key != NULL)
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_set(info, key, value) == MPI_SUCCESS);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, kind, 0, info, &part) == MPI_SUCCESS);
  if (key != NULL) MPI_Info_free(&info);
  return part;
}

static void hardware(void) {
  static const int guided[] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
  MPI_Comm part, machine = split_by(MPI_COMM_TYPE_SHARED, "not a hint", "of any kind");
  for (int i = 0; i < 2; ++i) {
    CHECK(split_by(guided[i], NULL, NULL) == MPI_COMM_NULL);
    CHECK(split_by(guided[i], "mpi_hw_resource_type", "hwloc://L3") == MPI_COMM_NULL);
    CHECK(split_by(guided[i], "mpi_pset_name", "mpi://WORLD") == MPI_COMM_NULL);
    part = split_by(guided[i], "mpi_hw_resource_type", "mpi_shared_memory");
    CHECK(part != MPI_COMM_NULL && comparison(part, machine) == MPI_CONGRUENT);
    MPI_Comm_free(&part);
  }
  part = split_by(MPI_COMM_TYPE_HW_UNGUIDED, NULL, NULL); /* fewer than all */
  CHECK((part == MPI_COMM_NULL) == (comparison(machine, MPI_COMM_WORLD) == MPI_CONGRUENT));
  if (part != MPI_COMM_NULL) {
    CHECK(comparison(part, machine) == MPI_CONGRUENT);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&machine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &part) == MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void null_has_a_name(void) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = -1;
  CHECK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length) == MPI_SUCCESS &&
        strcmp(name, "MPI_COMM_NULL") == 0 && length == 13);
  CHECK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length) == MPI_SUCCESS &&
        strcmp(name, "MPI_DATATYPE_NULL") == 0 && length == 17);
}

int main(void) {
  begin();
  hardware();
  null_has_a_name();
  MPI_Finalize();
  return 0;
}
