#include "mpi_layer/mpi/runtime/error_handler.h"

namespace lintel::mpi {

ErrorHandlerRef predefined_error_handler(MPI_Errhandler handle) {
  static const auto& fatal =
      *new ErrorHandlerRef(new ErrorHandler{ErrorHandler::ErrorHandling::kFatal});
  static const auto& abort =
      *new ErrorHandlerRef(new ErrorHandler{ErrorHandler::ErrorHandling::kAbort});
  static const auto& give_back =
      *new ErrorHandlerRef(new ErrorHandler{ErrorHandler::ErrorHandling::kReturn});
  if (handle == MPI_ERRORS_ARE_FATAL) return fatal;
  if (handle == MPI_ERRORS_ABORT) return abort;
  if (handle == MPI_ERRORS_RETURN) return give_back;
  return nullptr;
}

MPI_Errhandler predefined_handle(const ErrorHandler& handler) {
  switch (handler.kind) {
    case ErrorHandler::ErrorHandling::kFatal: return MPI_ERRORS_ARE_FATAL;
    case ErrorHandler::ErrorHandling::kAbort: return MPI_ERRORS_ABORT;
    case ErrorHandler::ErrorHandling::kReturn: return MPI_ERRORS_RETURN;
    case ErrorHandler::ErrorHandling::kCall: break;
  }
  return MPI_ERRHANDLER_NULL;
}

}  // namespace lintel::mpi
