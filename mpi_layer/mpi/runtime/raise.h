#pragma once
// Errors of calls go to the error handler of the communicator of the call (MPI 5.0, clause 9.3).

#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

// Returns the code that `function` is to return, unless the handler ends the program. Null
// `communicator`: the call has no communicator, and the error belongs to MPI_COMM_SELF. While the
// runtime is not running, every error ends the program.
int raise_on(const CommunicatorRef& communicator, int error, const char* function);

// The ErrorRaiser for the functions on local objects.
int raise_local(ObjectKind kind, std::uintptr_t object, int error, const char* function);

// mpi_call() for functions on a communicator: finds it and runs `body` with it.
template <class Body>
int communicator_call(const char* name, MPI_Comm handle, Body body) noexcept {
  const CommunicatorRef communicator = find_communicator(handle);
  if (!communicator)
    return raise_on(nullptr, runtime().is_running() ? MPI_ERR_COMM : MPI_ERR_OTHER, name);
  const int error = error_code_of([&] { return body(communicator); });
  return error == MPI_SUCCESS ? error : raise_on(communicator, error, name);
}

// The same for functions that find the communicator themselves: `body(&communicator)` may set the
// communicator whose error handler gets the error.
template <class Body>
int runtime_call(const char* name, Body body) noexcept {
  CommunicatorRef communicator;
  const int error =
      runtime().is_running() ? error_code_of([&] { return body(&communicator); }) : MPI_ERR_OTHER;
  return error == MPI_SUCCESS ? error : raise_on(communicator, error, name);
}

}  // namespace lintel::mpi
