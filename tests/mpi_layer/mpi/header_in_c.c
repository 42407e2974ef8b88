/* mpi.h as C99: it compiles alone, and every function that it declares exists under both names. */
#include "mpi.h"

/* Has a negative length if the layout is not that of the ABI. */
typedef char status_has_eight_ints[sizeof(MPI_Status) == 8 * sizeof(int) ? 1 : -1];
typedef char handles_are_pointers[sizeof(MPI_Datatype) == sizeof(void*) ? 1 : -1];

typedef void (*any_function)(void);
struct named_function {
  const char* name;
  any_function mpi;
  any_function pmpi;
};

extern const struct named_function lintel_declared_functions[];
extern const int lintel_declared_function_count;

#define LINTEL_FUNCTION(name) {#name, (any_function)name, (any_function)P##name},
const struct named_function lintel_declared_functions[] = {
#include "mpi_functions.inc"
};
const int lintel_declared_function_count =
    (int)(sizeof lintel_declared_functions / sizeof lintel_declared_functions[0]);
