#include "mpi_layer/mpi/runtime/item_transfer.h"

#include <algorithm>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/functions/external32.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/runtime/data_representation.h"
#include "mpi_layer/mpi/runtime/send_buffer.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

// The arguments of the send to kProcNull that replaces a send through a SendBuffer.
SendArguments nothing_like(const SendArguments& arguments) {
  return {nullptr, 0, kProcNull, arguments.context, arguments.tag, SendMode::kStandard};
}

std::unique_ptr<std::byte[]> room_for(std::int64_t bytes) {
  return std::unique_ptr<std::byte[]>(new (std::nothrow)
                                          std::byte[static_cast<std::size_t>(bytes)]);
}

}  // namespace

// `process`: the other process, or kAnySource.
int ItemTransfer::take(ItemBuffer buffer, bool receives, std::int32_t process) {
  buffer_ = std::move(buffer);
  receives_ = receives;
  is_restated_ = false;
  form_ = WireForm::kAsHere;
  capacity_ = buffer_.bytes();
  if (any_external_process() && capacity_ > 0 &&
      (process == kAnySource || is_external_process(process))) {
    const ExternalForm external = external_form(*buffer_.type);
    if (!external.is_native) {
      const CheckedNumber bytes = external.size * buffer_.count;
      if (!bytes.fits()) return MPI_ERR_COUNT;
      form_ = process == kAnySource ? WireForm::kToBeSeen : WireForm::kExternal;
      external_bytes_ = bytes.value();
      capacity_ =
          form_ == WireForm::kExternal ? external_bytes_ : std::max(capacity_, external_bytes_);
    }
  }
  is_packed_ = capacity_ > 0 && !(is_direct() && buffer_.is_contiguous());
  if (!is_packed_) return MPI_SUCCESS;
  packed_ = room_for(capacity_);
  return packed_ != nullptr ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

std::byte* ItemTransfer::bytes() const {
  if (is_packed_) return packed_.get();
  return capacity_ > 0 ? buffer_.begin() : nullptr;
}

// Packs or converts the items. Called before each start of a send.
int ItemTransfer::fill() {
  if (!is_packed_ || receives_) return MPI_SUCCESS;
  const std::span packed(packed_.get(), static_cast<std::size_t>(capacity_));
  if (form_ == WireForm::kAsHere) {
    pack(buffer_.items(), 0, packed);
  } else if (!pack_external(*buffer_.type, buffer_.address, buffer_.count, packed)) {
    return MPI_ERR_CONVERSION;
  }
  return MPI_SUCCESS;
}

int ItemTransfer::take(ItemBuffer buffer, SendArguments& arguments) {
  if (const int error = take(std::move(buffer), false, arguments.destination); error != MPI_SUCCESS)
    return error;
  arguments.buffer = bytes();
  arguments.length = static_cast<std::uint64_t>(capacity_);
  return MPI_SUCCESS;
}

int ItemTransfer::take(ItemBuffer buffer, ReceiveArguments& arguments) {
  if (const int error = take(std::move(buffer), true, arguments.source); error != MPI_SUCCESS)
    return error;
  arguments.buffer = bytes();
  arguments.capacity = static_cast<std::uint64_t>(capacity_);
  return MPI_SUCCESS;
}

// The SendBuffer makes a copy: of the items, or of their external32 form.
int ItemTransfer::send_through_room(Messenger& messenger, const SendArguments& arguments) {
  if (!is_converted(*buffer_.type, arguments.destination))
    return error_of(room_->send(messenger, buffer_, arguments));
  SendArguments converted = arguments;
  if (const int error = take(buffer_, converted); error != MPI_SUCCESS) return error;
  if (const int error = fill(); error != MPI_SUCCESS) return error;
  const ItemBuffer bytes(find_datatype(MPI_BYTE), number_of(packed_.get()), capacity_);
  return error_of(room_->send(messenger, bytes, arguments));
}

int ItemTransfer::send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments) {
  if (room_ != nullptr) {
    buffer_ = std::move(buffer);
    const int error = send_through_room(messenger, arguments);
    return error == MPI_SUCCESS
               ? error_of(messenger.send(nothing_like(arguments), request_.as_send()))
               : error;
  }
  if (const int error = take(std::move(buffer), arguments); error != MPI_SUCCESS) return error;
  if (const int error = fill(); error != MPI_SUCCESS) return error;
  unfinished_ = true;
  return error_of(messenger.send(arguments, request_.as_send()));
}

int ItemTransfer::receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments) {
  if (const int error = take(std::move(buffer), arguments); error != MPI_SUCCESS) return error;
  unfinished_ = true;
  return error_of(messenger.receive(arguments, request_.as_receive()));
}

int ItemTransfer::receive_and_wait(Messenger& messenger, ItemBuffer buffer,
                                   ReceiveArguments arguments) {
  if (const int error = take(std::move(buffer), arguments); error != MPI_SUCCESS) return error;
  unfinished_ = true;
  if (const CallError call_error = messenger.receive_and_wait(arguments, request_.as_receive());
      call_error != CallError::kNone)
    return error_of(call_error);
  finish();
  return MPI_SUCCESS;
}

int ItemTransfer::init_send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments) {
  if (room_ != nullptr) {
    buffer_ = std::move(buffer);
    buffered_ = arguments;
    return error_of(messenger.init_send(nothing_like(arguments), request_.as_send()));
  }
  if (const int error = take(std::move(buffer), arguments); error != MPI_SUCCESS) return error;
  return error_of(messenger.init_send(arguments, request_.as_send()));
}

int ItemTransfer::init_receive(Messenger& messenger, ItemBuffer buffer,
                               ReceiveArguments arguments) {
  if (const int error = take(std::move(buffer), arguments); error != MPI_SUCCESS) return error;
  return error_of(messenger.init_receive(arguments, request_.as_receive()));
}

int ItemTransfer::start(Messenger& messenger) {
  if (request().active()) return error_of(CallError::kRequest);
  if (room_ != nullptr) {
    if (const int error = send_through_room(messenger, buffered_); error != MPI_SUCCESS)
      return error;
  } else if (const int error = fill(); error != MPI_SUCCESS) {
    return error;
  }
  unfinished_ = true;
  is_restated_ = false;
  return error_of(messenger.start(request()));
}

int ItemTransfer::receive_matched(Messenger& messenger, ItemBuffer buffer,
                                  MatchedMessage& message) {
  if (const int error = take(std::move(buffer), true, message.envelope().source);
      error != MPI_SUCCESS)
    return error;
  unfinished_ = true;
  return error_of(messenger.receive_matched(message, bytes(), static_cast<std::uint64_t>(capacity_),
                                            request_.as_receive()));
}

const MessageResult& ItemTransfer::wait(Messenger& messenger) {
  messenger.wait(request());
  finish();
  return result();
}

void ItemTransfer::finish() {
  if (!std::exchange(unfinished_, false) || !receives_ ||
      (!is_packed_ && form_ == WireForm::kAsHere))
    return;
  const MessageResult& result = request().result();
  if (result.cancelled ||
      (result.failure != RequestFailure::kNone && result.failure != RequestFailure::kTruncated))
    return;
  if (form_ != WireForm::kAsHere) return finish_in_form();
  const std::uint64_t landed = std::min(result.length, static_cast<std::uint64_t>(buffer_.bytes()));
  unpack(buffer_.items(), 0, {packed_.get(), static_cast<std::size_t>(landed)});
}

// The source of the message determines its format, and thus how much of it fits in the items.
void ItemTransfer::finish_in_form() {
  restated_ = request().result();
  is_restated_ = true;
  const bool is_external = is_external_process(restated_.source);
  const auto room = static_cast<std::uint64_t>(is_external ? external_bytes_ : buffer_.bytes());
  const std::uint64_t landed = std::min(restated_.length, room);
  if (restated_.length > room) restated_.failure = RequestFailure::kTruncated;
  if (is_external) {
    take_external(landed);
  } else if (is_packed_) {
    unpack(buffer_.items(), 0, {packed_.get(), static_cast<std::size_t>(landed)});
  }
}

// Converts the first `landed` bytes of the message to the items, and computes the length of the
// message in the format of this machine.
void ItemTransfer::take_external(std::uint64_t landed) {
  const std::span<const std::byte> external(bytes(), static_cast<std::size_t>(landed));
  const Datatype& type = *buffer_.type;
  if (is_packed_) {
    unpack_external(type, buffer_.address, buffer_.count, external);
  } else {  // they are in the buffer, but in external32
    const std::vector<std::byte> copy(external.begin(), external.end());
    unpack_external(type, buffer_.address, buffer_.count, copy);
  }
  if (const std::optional<Portion> portion =
          native_portion(type, static_cast<std::int64_t>(restated_.length))) {
    restated_.length =
        // an incomplete element stays incomplete
        static_cast<std::uint64_t>(portion->counterpart) + (portion->rest > 0 ? 1U : 0U);
  }
}

}  // namespace lintel::mpi
