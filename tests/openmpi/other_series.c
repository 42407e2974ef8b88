/* Preloaded: Open MPI says that it is of another series. */
#include <mpi.h>
#include <string.h>

int MPI_Get_library_version(char* version, int* length) {
  strcpy(version, "Open MPI v5.0.9, a test");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
