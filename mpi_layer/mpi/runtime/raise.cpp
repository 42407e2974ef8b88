#include "mpi_layer/mpi/runtime/raise.h"

#include <string>

#include "mpi_layer/mpi/functions/error_sentences.h"

namespace lintel::mpi {

namespace {

std::string sentence_of(int error) {
  if (const char* sentence = error_sentence(error); sentence != nullptr) return sentence;
  if (const auto added = local_objects().errors.text(error); added && !added->empty())
    return *added;
  return "error code " + std::to_string(error);
}

const char* reason_not_running() {
  switch (runtime().state()) {
    case Runtime::RuntimeState::kFinalized: return " was called after MPI_Finalize";
    case Runtime::RuntimeState::kForked:
      return " was called in a child of fork(); expected: calls of MPI only in the process that "
             "called MPI_Init";
    default: return " was called outside of MPI_Init and MPI_Finalize";
  }
}

[[noreturn]] void end_job(const CommunicatorRef& communicator, int error, const char* function) {
  const std::string name = communicator ? communicator->name() : "";
  runtime().abort(
      1, std::string(function) + (name.empty() ? "" : " on " + name) + ": " + sentence_of(error),
      error == MPI_ERR_PROC_ABORTED ? AbortCause::kLostProcess : AbortCause::kOwn);
}

}  // namespace

int raise_on(const CommunicatorRef& communicator, int error, const char* function) {
  if (!runtime().is_running()) {
    runtime().abort(1, std::string(function) + reason_not_running());
  }
  const CommunicatorRef& concerned = communicator ? communicator : runtime().self();
  const ErrorHandlerRef handler = concerned->error_handler();
  switch (handler->kind) {
    case ErrorHandler::ErrorHandling::kFatal:
    case ErrorHandler::ErrorHandling::kAbort: end_job(concerned, error, function);
    case ErrorHandler::ErrorHandling::kReturn: break;
    case ErrorHandler::ErrorHandling::kCall: {
      MPI_Comm handle = handle_of<MPI_Comm>(concerned->handle());
      int code = error;
      handler->function(&handle, &code);
      break;
    }
  }
  return error;
}

int raise_local(ObjectKind kind, std::uintptr_t object, int error, const char* function) {
  // The local functions may be called after MPI_Finalize, when there are no handlers any more.
  if (!runtime().is_running()) return error;
  return raise_on(
      kind == ObjectKind::kCommunicator ? find_communicator(handle_of<MPI_Comm>(object)) : nullptr,
      error, function);
}

}  // namespace lintel::mpi
