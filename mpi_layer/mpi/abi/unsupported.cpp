#include "mpi_layer/mpi/abi/unsupported.h"

#include <cstdio>
#include <mutex>
#include <set>

#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

void say_once(std::string_view function) {
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string_view>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!said.insert(function).second) return;
  std::fprintf(stderr, "lintel: %s is not provided: MPI_ERR_UNSUPPORTED_OPERATION\n",
               function.data());
}

bool ends_the_job(const ErrorHandler& handler) {
  return handler.kind == ErrorHandler::ErrorHandling::kFatal ||
         handler.kind == ErrorHandler::ErrorHandling::kAbort;
}

}  // namespace

int raise_unsupported(const char* function) {
  constexpr int kError = MPI_ERR_UNSUPPORTED_OPERATION;
  if (std::string_view(function).starts_with("MPI_T_")) return kError;
  if (!runtime().is_running())
    runtime().abort(1, std::string(function) + " is not provided: MPI_ERR_UNSUPPORTED_OPERATION");
  const CommunicatorRef& world = runtime().world();
  if (!ends_the_job(*world->error_handler())) say_once(function);
  return raise_on(world, kError, function);
}

}  // namespace lintel::mpi
