#include "mpi_layer/mpi/runtime/message_arguments.h"

#include <atomic>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/runtime/data_representation.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

std::atomic<int> greatest_tag{kMaxTag};

bool is_message_tag(int tag) { return tag >= 0 && tag <= tag_bound(); }

}  // namespace

int tag_bound() { return greatest_tag.load(std::memory_order_relaxed); }

void set_tag_bound(int bound) { greatest_tag.store(bound, std::memory_order_relaxed); }

int check_items(const void* buffer, std::int64_t count, MPI_Datatype datatype, ItemBuffer* items) {
  if (count < 0) return MPI_ERR_COUNT;
  DatatypeRef type = find_datatype(datatype);
  if (!type || !type->is_committed()) return MPI_ERR_TYPE;
  const CheckedNumber bytes = CheckedNumber(count) * type->size();
  if (!bytes.fits()) return MPI_ERR_COUNT;
  // MPI_BOTTOM is a null pointer, which is valid if displacements are addresses. If the data begin
  // at displacement 0, they are not.
  if (bytes.value() > 0 && (buffer == nullptr || buffer == MPI_IN_PLACE) &&
      type->shape().true_lower_bound == 0)
    return MPI_ERR_BUFFER;
  *items = {std::move(type), number_of(buffer), count};
  return MPI_SUCCESS;
}

int check_send(const Communicator& communicator, int destination, int tag, SendMode mode,
               SendArguments* arguments) {
  if (destination != MPI_PROC_NULL && (destination < 0 || destination >= communicator.size()))
    return MPI_ERR_RANK;
  if (!is_message_tag(tag)) return MPI_ERR_TAG;
  arguments->destination =
      destination == MPI_PROC_NULL ? kProcNull : communicator.group()->world_rank(destination);
  arguments->context = communicator.contexts().messages();
  arguments->tag = tag;
  arguments->mode = mode;
  return MPI_SUCCESS;
}

int check_receive(const Communicator& communicator, int source, int tag,
                  ReceiveArguments* arguments) {
  if (source == MPI_PROC_NULL) {
    arguments->source = kProcNull;
  } else if (source == MPI_ANY_SOURCE) {
    arguments->source = kAnySource;
  } else {
    if (source < 0 || source >= communicator.size()) return MPI_ERR_RANK;
    arguments->source = communicator.group()->world_rank(source);
  }
  if (!is_message_tag(tag) && tag != MPI_ANY_TAG) return MPI_ERR_TAG;
  arguments->tag = tag == MPI_ANY_TAG ? kAnyTag : tag;
  arguments->context = communicator.contexts().messages();
  return MPI_SUCCESS;
}

MPI_Status status_of(const Communicator& communicator, const MessageResult& result) {
  MPI_Status status = empty_status();
  if (result.source == kProcNull) {
    status.MPI_SOURCE = MPI_PROC_NULL;
  } else if (result.source >= 0) {
    status.MPI_SOURCE = communicator.group()->position_of(result.source).value_or(MPI_ANY_SOURCE);
  }
  if (result.tag != kAnyTag) status.MPI_TAG = result.tag;
  status.MPI_ERROR = error_of(result.failure);
  set_received_bytes(status, static_cast<std::int64_t>(result.length));
  set_cancelled(status, result.cancelled);
  return status;
}

MPI_Status status_of_found(const Communicator& communicator, const MessageResult& envelope) {
  MPI_Status status = status_of(communicator, envelope);
  if (is_external_process(envelope.source))
    set_external32_bytes(status, static_cast<std::int64_t>(envelope.length));
  return status;
}

void give_status(const MPI_Status& value, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  const int error = status->MPI_ERROR;
  *status = value;
  status->MPI_ERROR = error;
}

}  // namespace lintel::mpi
