// Error handlers of communicators (MPI 5.0, clause 9.3).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

ErrorHandlerRef find_handler(MPI_Errhandler handle) {
  ErrorHandlerRef predefined = predefined_error_handler(handle);
  return predefined ? predefined : runtime().error_handlers.find(number_of(handle));
}

int give_handler(const ErrorHandlerRef& handler, MPI_Errhandler* handle) {
  MPI_Errhandler given = predefined_handle(*handler);
  if (given == MPI_ERRHANDLER_NULL) {
    const std::uintptr_t number = runtime().error_handlers.add(handler);
    if (number == 0) return MPI_ERR_NO_MEM;
    given = handle_of<MPI_Errhandler>(number);
  }
  *handle = given;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function,
                                MPI_Errhandler* errhandler) {
  return mpi_call("MPI_Comm_create_errhandler", ObjectKind::kNone, [=]() -> int {
    if (function == nullptr || errhandler == nullptr) return MPI_ERR_ARG;
    return give_handler(
        std::make_shared<ErrorHandler>(ErrorHandler{ErrorHandler::ErrorHandling::kCall, function}),
        errhandler);
  });
}
LINTEL_MPI_NAME(MPI_Comm_create_errhandler);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return communicator_call("MPI_Comm_set_errhandler", comm,
                           [=](const CommunicatorRef& communicator) -> int {
                             ErrorHandlerRef handler = find_handler(errhandler);
                             if (!handler) return MPI_ERR_ERRHANDLER;
                             communicator->set_error_handler(std::move(handler));
                             return MPI_SUCCESS;
                           });
}
LINTEL_MPI_NAME(MPI_Comm_set_errhandler);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return communicator_call(
      "MPI_Comm_get_errhandler", comm, [=](const CommunicatorRef& communicator) -> int {
        return errhandler == nullptr ? MPI_ERR_ARG
                                     : give_handler(communicator->error_handler(), errhandler);
      });
}
LINTEL_MPI_NAME(MPI_Comm_get_errhandler);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  const CommunicatorRef communicator = find_communicator(comm);
  if (!communicator) return raise_on(nullptr, MPI_ERR_COMM, "MPI_Comm_call_errhandler");
  static_cast<void>(raise_on(communicator, errorcode, "MPI_Comm_call_errhandler"));
  return MPI_SUCCESS;
}
LINTEL_MPI_NAME(MPI_Comm_call_errhandler);

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return mpi_call("MPI_Errhandler_free", ObjectKind::kNone, [=]() -> int {
    if (errhandler == nullptr) return MPI_ERR_ARG;
    // Predefined error handlers are never freed, but a handle from MPI_Comm_get_errhandler may be
    // passed here.
    if (!predefined_error_handler(*errhandler) &&
        !runtime().error_handlers.remove(number_of(*errhandler)))
      return MPI_ERR_ERRHANDLER;
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Errhandler_free);

}  // extern "C"

}  // namespace lintel::mpi
