#include "mpi_layer/mpi/runtime/request_end.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "mpi_layer/mpi/runtime/request_object.h"
#include "mpi_layer/mpi/runtime/request_starts.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

// No message has this tag: it is below the tags of all operations on communicators.
constexpr std::int32_t kGateTag = std::numeric_limits<std::int32_t>::min() + 1;

}  // namespace

int make_gated_request(const CommunicatorRef& communicator, std::unique_ptr<RequestEnd> end,
                       RequestObject** object, MPI_Request* request) {
  if (request == nullptr) return MPI_ERR_ARG;
  auto gated = std::make_shared<RequestObject>(communicator, true, false);
  gated->end = std::move(end);
  *object = gated.get();
  const std::uintptr_t handle = runtime().requests.add(gated);
  if (handle == 0) return MPI_ERR_NO_MEM;
  const Communicator& self = *runtime().self();
  const ReceiveArguments never{nullptr, 0, self.group()->world_rank(0),
                               self.contexts().collectives(), kGateTag};
  const int error =
      gated->transfer.receive(runtime().messenger(), {find_datatype(MPI_BYTE), 0, 0}, never);
  if (error != MPI_SUCCESS) {
    runtime().requests.remove(handle);
    return error;
  }
  *request = handle_of<MPI_Request>(handle);
  return MPI_SUCCESS;
}

void remove_gated_request(MPI_Request* request) {
  const RequestRef object = runtime().requests.remove(number_of(*request));
  open_gate(*object);
  static_cast<void>(object->transfer.wait(runtime().messenger()));
  *request = MPI_REQUEST_NULL;
}

int end_freed_request(MPI_Request request) {
  const RequestRef object = runtime().requests.remove(number_of(request));
  if (!object) return MPI_ERR_REQUEST;
  static_cast<void>(object->transfer.wait(runtime().messenger()));
  return object->end->close();
}

// A receive that is cancelled completes at once, which makes the request complete.
void open_gate(RequestObject& object) { runtime().messenger().cancel(object.transfer.request()); }

}  // namespace lintel::mpi
