#include "mpi_layer/mpi/runtime/item_transfer.h"

#include <algorithm>
#include <new>
#include <utility>

#include "mpi_layer/mpi/runtime/send_buffer.h"

namespace lintel::mpi {

namespace {

// What is sent to nobody in the place of a message that is in a SendBuffer.
SendArguments nothing_like(const SendArguments& arguments) {
  return {nullptr, 0, kProcNull, arguments.context, arguments.tag, SendMode::kStandard};
}

}  // namespace

// False: no memory.
bool ItemTransfer::take(ItemBuffer buffer, bool receives) {
  buffer_ = std::move(buffer);
  receives_ = receives;
  const std::int64_t length = buffer_.bytes();
  is_packed_ = length > 0 && !buffer_.is_contiguous();
  if (!is_packed_) return true;
  packed_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(length)]);
  return packed_ != nullptr;
}

std::byte* ItemTransfer::bytes() const {
  if (is_packed_) return packed_.get();
  return buffer_.bytes() > 0 ? buffer_.begin() : nullptr;
}

// Before each start of a send.
void ItemTransfer::fill() {
  if (is_packed_ && !receives_) pack(buffer_.items(), 0, {packed_.get(), static_cast<std::size_t>(buffer_.bytes())});
}

bool ItemTransfer::take(ItemBuffer buffer, SendArguments& arguments) {
  if (!take(std::move(buffer), false)) return false;
  arguments.buffer = bytes();
  arguments.length = static_cast<std::uint64_t>(buffer_.bytes());
  return true;
}

bool ItemTransfer::take(ItemBuffer buffer, ReceiveArguments& arguments) {
  if (!take(std::move(buffer), true)) return false;
  arguments.buffer = bytes();
  arguments.capacity = static_cast<std::uint64_t>(buffer_.bytes());
  return true;
}

Refusal ItemTransfer::send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments) {
  if (room_ != nullptr) {
    const Refusal refusal = room_->send(messenger, buffer, arguments);
    return refusal == Refusal::kNone ? messenger.send(nothing_like(arguments), request_) : refusal;
  }
  if (!take(std::move(buffer), arguments)) return Refusal::kNoMemory;
  fill();
  unfinished_ = true;
  return messenger.send(arguments, request_);
}

Refusal ItemTransfer::receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments) {
  if (!take(std::move(buffer), arguments)) return Refusal::kNoMemory;
  unfinished_ = true;
  return messenger.receive(arguments, request_);
}

Refusal ItemTransfer::receive_and_wait(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments) {
  if (!take(std::move(buffer), arguments)) return Refusal::kNoMemory;
  unfinished_ = true;
  if (const Refusal refusal = messenger.receive_and_wait(arguments, request_); refusal != Refusal::kNone) return refusal;
  finish();
  return Refusal::kNone;
}

Refusal ItemTransfer::init_send(Messenger& messenger, ItemBuffer buffer, SendArguments arguments) {
  if (room_ != nullptr) {
    buffer_ = std::move(buffer);
    buffered_ = arguments;
    return messenger.init_send(nothing_like(arguments), request_);
  }
  return take(std::move(buffer), arguments) ? messenger.init_send(arguments, request_) : Refusal::kNoMemory;
}

Refusal ItemTransfer::init_receive(Messenger& messenger, ItemBuffer buffer, ReceiveArguments arguments) {
  return take(std::move(buffer), arguments) ? messenger.init_receive(arguments, request_) : Refusal::kNoMemory;
}

Refusal ItemTransfer::start(Messenger& messenger) {
  if (request_.active()) return Refusal::kRequest;
  if (room_ != nullptr) {
    if (const Refusal refusal = room_->send(messenger, buffer_, buffered_); refusal != Refusal::kNone) return refusal;
  }
  fill();
  unfinished_ = true;
  return messenger.start(request_);
}

Refusal ItemTransfer::receive_matched(Messenger& messenger, ItemBuffer buffer, MatchedMessage& message) {
  if (!take(std::move(buffer), true)) return Refusal::kNoMemory;
  unfinished_ = true;
  return messenger.receive_matched(message, bytes(), static_cast<std::uint64_t>(buffer_.bytes()), request_);
}

const Result& ItemTransfer::wait(Messenger& messenger) {
  messenger.wait(request_);
  finish();
  return request_.result();
}

void ItemTransfer::finish() {
  if (!std::exchange(unfinished_, false) || !receives_ || !is_packed_) return;
  const Result& result = request_.result();
  if (result.cancelled || (result.failure != Failure::kNone && result.failure != Failure::kTruncated)) return;
  const std::uint64_t landed = std::min(result.length, static_cast<std::uint64_t>(buffer_.bytes()));
  unpack(buffer_.items(), 0, {packed_.get(), static_cast<std::size_t>(landed)});
}

}  // namespace lintel::mpi
