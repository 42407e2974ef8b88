#pragma once
// ErrorHandler: what a communicator does with the errors of its calls (MPI 5.0, clause 9.3). A
// value that never changes; shared by handles and communicators.

#include <memory>

#include "mpi.h"

namespace lintel::mpi {

struct ErrorHandler {
  enum class ErrorHandling {
    kFatal,   // ends the job
    kAbort,   // ends the processes of the communicator; here the job
    kReturn,  // the call returns the error
    kCall,    // calls a function of the program, then returns the error
  };
  ErrorHandling kind = ErrorHandling::kFatal;
  MPI_Comm_errhandler_function* function = nullptr;
};
using ErrorHandlerRef = std::shared_ptr<const ErrorHandler>;

// The predefined error handler of that handle; null for other handles.
ErrorHandlerRef predefined_error_handler(MPI_Errhandler handle);
// The handle of a predefined error handler; MPI_ERRHANDLER_NULL for one of the program.
MPI_Errhandler predefined_handle(const ErrorHandler& handler);

}  // namespace lintel::mpi
