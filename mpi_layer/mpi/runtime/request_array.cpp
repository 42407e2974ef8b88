#include "mpi_layer/mpi/runtime/request_array.h"

#include <algorithm>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/runtime.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

int RequestArray::take(int count, MPI_Request* handles, CommunicatorRef* concerned) {
  if (const int error = check_arrays(count, {handles}); error != MPI_SUCCESS) return error;
  handles_ = handles;
  for (const MPI_Request handle : array(handles, count)) {
    RequestRef object =
        handle == MPI_REQUEST_NULL ? nullptr : runtime().requests.find(number_of(handle));
    if (!object && handle != MPI_REQUEST_NULL) return MPI_ERR_REQUEST;
    if (object && !*concerned) *concerned = object->communicator;
    transfers_.push_back(object && !object->finished ? &object->transfer.request() : nullptr);
    objects_.push_back(std::move(object));
  }
  return MPI_SUCCESS;
}

bool RequestArray::any_pending() const {
  return std::ranges::any_of(
      objects_, [](const RequestRef& object) { return object && object->is_pending(); });
}

void RequestArray::finish(std::size_t index) {
  objects_[index]->transfer.finish();
  objects_[index]->finished = true;
  transfers_[index] = nullptr;
}

std::optional<std::size_t> RequestArray::first_finished() const {
  const auto found = std::ranges::find_if(
      objects_, [](const RequestRef& object) { return object && object->finished; });
  if (found == objects_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - objects_.begin());
}

void RequestArray::wait_all() {
  std::vector<bool> pending;
  for (std::size_t i = 0; i < size(); ++i) pending.push_back(is_pending(i));
  runtime().messenger().wait_all(transfers_);
  for (std::size_t i = 0; i < size(); ++i) {
    if (pending[i]) finish(i);
  }
}

bool RequestArray::test_all() {
  std::vector<bool> pending;
  for (std::size_t i = 0; i < size(); ++i) pending.push_back(is_pending(i));
  if (!runtime().messenger().test_all(transfers_)) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    if (pending[i]) finish(i);
  }
  return true;
}

std::optional<std::size_t> RequestArray::wait_any() {
  if (const auto found = first_finished()) return found;
  const std::size_t index = runtime().messenger().wait_any(transfers_);
  if (index == Messenger::kNone) return std::nullopt;
  finish(index);
  return index;
}

std::optional<std::size_t> RequestArray::test_any() {
  if (const auto found = first_finished()) return found;
  std::size_t index = Messenger::kNone;
  if (!runtime().messenger().test_any(transfers_, index) || index == Messenger::kNone)
    return std::nullopt;
  finish(index);
  return index;
}

std::vector<std::size_t> RequestArray::some(bool blocks) {
  std::vector<std::size_t> found(size());
  const bool waits = blocks && !first_finished();
  Messenger& messenger = runtime().messenger();
  const std::size_t count =
      waits ? messenger.wait_some(transfers_, found) : messenger.test_some(transfers_, found);
  if (count != Messenger::kNone) {
    for (std::size_t i = 0; i < count; ++i) finish(found[i]);
  }
  found.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    if (objects_[i] && objects_[i]->finished) found.push_back(i);
  }
  return found;
}

MPI_Status RequestArray::status(std::size_t index) const {
  const RequestObject& object = *objects_[index];
  if (object.end) return object.end->status();
  const MessageResult& result = object.transfer.result();
  if (object.receives) return status_of(*object.communicator, result);
  MPI_Status status = empty_status();
  set_cancelled(status, result.cancelled);
  return status;
}

int RequestArray::report(std::size_t index, MPI_Status* status, CommunicatorRef* concerned) {
  const RequestRef& object = objects_[index];
  if (!object || !object->finished) {
    give_status(empty_status(), status);
    return MPI_SUCCESS;
  }
  const MPI_Status told = this->status(index);
  give_status(told, status);
  object->finished = false;
  int error = object->end ? told.MPI_ERROR : error_of(object->transfer.result().failure);
  if (object->end) {
    const int closing = object->end->close();
    if (error == MPI_SUCCESS) error = closing;
  }
  if (error != MPI_SUCCESS) *concerned = object->communicator;
  if (!object->persistent) {
    runtime().requests.remove(number_of(handles_[index]));
    handles_[index] = MPI_REQUEST_NULL;
  }
  return error;
}

int RequestArray::start(CommunicatorRef* concerned) {
  for (const RequestRef& object : objects_) {
    if (!object || !object->persistent || object->is_pending()) return MPI_ERR_REQUEST;
    *concerned = object->communicator;
    if (const int error = object->transfer.start(runtime().messenger()); error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

int RequestArray::cancel(std::size_t index) {
  if (!is_pending(index)) return MPI_ERR_REQUEST;
  if (objects_[index]->end) return objects_[index]->end->cancel();
  if (transfers_[index] != nullptr) runtime().messenger().cancel(*transfers_[index]);
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
