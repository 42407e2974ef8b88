#pragma once
// The frame of every C function: no exception leaves it, and each error goes through raise_error(),
// which calls error handlers.

#include <cstdint>
#include <new>
#include <stdexcept>

#include "mpi.h"
#include "mpi_layer/mpi/objects/handle_table.h"

namespace lintel::mpi {

// Handles an error in the function of that name. Returns the code that the function is to return,
// unless the program ends. `kind`: the kind of the object of the call, which determines the error
// handler; kNone: the call has no object, and its errors belong to MPI_COMM_SELF (clause 9.3).
// `object`: the handle number of a communicator, 0 for other kinds.
using ErrorRaiser = int (*)(ObjectKind kind, std::uintptr_t object, int error,
                            const char* function);

// Until the first call, errors are returned without a handler. Any thread, but not while other
// threads call MPI.
void set_error_raiser(ErrorRaiser raiser);

int raise_error(ObjectKind kind, std::uintptr_t object, int error, const char* function);

// The result of `body`, MPI_SUCCESS or an error code. An exception for lack of memory becomes an
// error code.
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
int mpi_call(const char* name, ObjectKind kind, Body body) noexcept {
  const int error = error_code_of(body);
  return error == MPI_SUCCESS ? error : raise_error(kind, 0, error, name);
}

// The same for functions whose communicator is used only for its error handler.
template <class Body>
int mpi_call(const char* name, MPI_Comm comm, Body body) noexcept {
  const int error = error_code_of(body);
  return error == MPI_SUCCESS ? error
                              : raise_error(ObjectKind::kCommunicator,
                                            reinterpret_cast<std::uintptr_t>(comm), error, name);
}

}  // namespace lintel::mpi
