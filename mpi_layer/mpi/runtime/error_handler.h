#pragma once
// ErrorHandler: what a communicator does with the errors of its calls (MPI 5.0, clause 9.3). A
// value that never changes; shared by handles and communicators.

#include <memory>

#include "mpi.h"

namespace lintel::mpi {

struct ErrorHandler {
  enum class Kind {
    kFatal,   // ends the job
    kAbort,   // ends the processes of the communicator; here the job
    kReturn,  // the call returns the error
    kCall,    // the program's own function is called, then the call returns the error
  };
  Kind kind = Kind::kFatal;
  MPI_Comm_errhandler_function* function = nullptr;
};
using ErrorHandlerRef = std::shared_ptr<const ErrorHandler>;

// The predefined one of that handle; null for others.
ErrorHandlerRef predefined_error_handler(MPI_Errhandler handle);
// The handle of a predefined one; MPI_ERRHANDLER_NULL for a program's own.
MPI_Errhandler predefined_handle(const ErrorHandler& handler);

}  // namespace lintel::mpi
