#include "mpi_layer/mpi/runtime/send_buffer.h"

#include <new>
#include <utility>

#include "mpi.h"

namespace lintel::mpi {

namespace {

constexpr std::int64_t kNowhere = -1;

}  // namespace

struct SendBuffer::BufferedMessage {
  std::unique_ptr<std::byte[]> own;  // with MPI_BUFFER_AUTOMATIC
  std::int64_t size = 0;
  SendRequest request;
};

SendBuffer& process_send_buffer() {
  static auto* const buffer = new SendBuffer;
  return *buffer;
}

int SendBuffer::attach(void* memory, std::int64_t size) {
  if (size < 0 && memory != MPI_BUFFER_AUTOMATIC) return MPI_ERR_ARG;
  if (size > 0 && memory == nullptr) return MPI_ERR_BUFFER;
  const MutexLock lock(mutex_);
  if (attached_) return MPI_ERR_BUFFER;
  attached_ = true;
  memory_ = static_cast<std::byte*>(memory);
  size_ = memory == MPI_BUFFER_AUTOMATIC ? 0 : size;
  next_ = 0;
  return MPI_SUCCESS;
}

bool SendBuffer::is_attached() const {
  const MutexLock lock(mutex_);
  return attached_;
}

bool SendBuffer::is_automatic() const {
  return memory_ == static_cast<std::byte*>(MPI_BUFFER_AUTOMATIC);
}

// Searches behind the last message first, then from the beginning.
std::int64_t SendBuffer::place_for(std::int64_t size) const {
  if (!attached_) return kNowhere;
  if (is_automatic()) return next_;
  const auto following = messages_.lower_bound(next_);
  const std::int64_t end = following == messages_.end() ? size_ : following->first;
  if (size <= end - next_) return next_;
  std::int64_t place = 0;
  for (const auto& [begin, message] : messages_) {
    if (size <= begin - place) return place;
    place = begin + message->size;
  }
  return size <= size_ - place ? place : kNowhere;
}

void SendBuffer::drop_completed(Messenger& messenger) {
  std::erase_if(messages_,
                [&](const auto& entry) { return messenger.test(entry.second->request); });
}

CallError SendBuffer::send(Messenger& messenger, const ItemBuffer& items, SendArguments arguments) {
  auto message = std::make_shared<BufferedMessage>();
  const std::int64_t length = items.bytes();
  message->size =
      length > 0 ? length : 1;  // at least 1, so that each message has a position of its own
  const MutexLock lock(mutex_);
  std::int64_t place = place_for(message->size);
  if (place == kNowhere) {
    drop_completed(messenger);
    place = place_for(message->size);
  }
  if (place == kNowhere) return CallError::kNoRoom;
  std::byte* memory = memory_ + place;
  if (is_automatic()) {
    message->own.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(message->size)]);
    memory = message->own.get();
    if (memory == nullptr) return CallError::kNoMemory;
  }
  if (length > 0) pack(items.items(), 0, {memory, static_cast<std::size_t>(length)});
  arguments.buffer = memory;
  arguments.length = static_cast<std::uint64_t>(length);
  arguments.mode = SendMode::kStandard;
  if (const CallError call_error = messenger.send(arguments, message->request);
      call_error != CallError::kNone)
    return call_error;
  next_ = place + message->size;
  if (is_automatic()) drop_completed(messenger);
  if (!messenger.test(message->request)) messages_.emplace(place, std::move(message));
  return CallError::kNone;
}

SendBuffer::Content SendBuffer::content() const {
  const MutexLock lock(mutex_);
  Content content;
  for (const auto& [place, message] : messages_) content.push_back(message);
  return content;
}

void SendBuffer::wait_for(Messenger& messenger, const Content& content) {
  for (const std::shared_ptr<BufferedMessage>& message : content) messenger.wait(message->request);
  const MutexLock lock(mutex_);
  drop_completed(messenger);
}

void SendBuffer::detach(Messenger& messenger, void** memory, std::int64_t* size) {
  flush(messenger);
  const MutexLock lock(mutex_);
  *memory = memory_;
  *size = size_;
  memory_ = nullptr;
  size_ = 0;
  attached_ = false;
}

}  // namespace lintel::mpi
