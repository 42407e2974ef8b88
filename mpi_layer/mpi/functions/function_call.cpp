#include "mpi_layer/mpi/functions/function_call.h"

#include <atomic>

namespace lintel::mpi {

namespace {

int return_error(ObjectKind /*kind*/, std::uintptr_t /*object*/, int error,
                 const char* /*function*/) {
  return error;
}

std::atomic<ErrorRaiser> current_raiser{return_error};

}  // namespace

void set_error_raiser(ErrorRaiser raiser) {
  current_raiser.store(raiser != nullptr ? raiser : return_error);
}

int raise_error(ObjectKind kind, std::uintptr_t object, int error, const char* function) {
  return current_raiser.load()(kind, object, error, function);
}

}  // namespace lintel::mpi
