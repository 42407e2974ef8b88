#pragma once
// Functions of the standard ABI that are there only by name.

#include <cstdint>
#include <string_view>

#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

// What such a function does: it raises MPI_ERR_UNSUPPORTED_OPERATION on MPI_COMM_WORLD, and returns
// it if the error handler does. A handler that does not end the job has no word for who has raised
// it, so standard error gets a sentence that names the function, once for each. Outside of MPI_Init
// and MPI_Finalize the program ends. Those of the tool interface only return (clause 15.3.9): tools
// ask whether it is there, at any time.
int raise_unsupported(const char* function);

}  // namespace lintel::mpi

// Defines a function under both its names. Called with whatever arguments it has: it looks at none.
// The wide result is that of functions which return a handle, and is 0 then, no handle.
#define LINTEL_MPI_UNSUPPORTED(name)                                                 \
  extern "C" std::intptr_t P##name() {                                               \
    const int error = lintel::mpi::raise_unsupported(#name);                         \
    return std::string_view(#name).ends_with("_fromint") ? 0 : std::intptr_t{error}; \
  }                                                                                  \
  LINTEL_MPI_NAME(name)
