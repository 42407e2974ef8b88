#pragma once
// The frame of every C function: no exception leaves it, and each error goes through raise_error(),
// the seam for error handlers.

#include <cstdint>
#include <new>
#include <stdexcept>

#include "mpi.h"
#include "mpi_layer/mpi/objects/handle_table.h"

namespace lintel::mpi {

// What becomes of an error in the function of that name: the code that it returns, unless the
// program ends. `kind`: of the object that the call is about, which says whose error handler it is;
// kNone for calls about none, whose errors belong to MPI_COMM_SELF (clause 9.3). `object`: the
// number of the handle of a communicator, 0 for other kinds.
using ErrorRaiser = int (*)(HandleKind kind, std::uintptr_t object, int error,
                            const char* function);

// Until the first call errors are returned. Any thread; not to be changed while others call.
void set_error_raiser(ErrorRaiser raiser);

int raise_error(HandleKind kind, std::uintptr_t object, int error, const char* function);

// What `body` returns, MPI_SUCCESS or an error code; also when memory runs out in it.
template <class Body>
int error_code_of(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  } catch (const std::length_error&) {
    return MPI_ERR_NO_MEM;
  }
}

// Runs `body`, which returns MPI_SUCCESS or an error code, as the function `name`.
template <class Body>
int mpi_call(const char* name, HandleKind kind, Body body) noexcept {
  const int error = error_code_of(body);
  return error == MPI_SUCCESS ? error : raise_error(kind, 0, error, name);
}

// The same for functions that have a communicator only for its error handler.
template <class Body>
int mpi_call(const char* name, MPI_Comm comm, Body body) noexcept {
  const int error = error_code_of(body);
  return error == MPI_SUCCESS ? error
                              : raise_error(HandleKind::kCommunicator,
                                            reinterpret_cast<std::uintptr_t>(comm), error, name);
}

}  // namespace lintel::mpi
