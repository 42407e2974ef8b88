/* Preloaded: makes Open MPI report another series, OTHER_SERIES. */
#include <mpi.h>
#include <string.h>

int MPI_Get_library_version(char* version, int* length) {
  strcpy(version, "Open MPI v" OTHER_SERIES ".9, a test");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
