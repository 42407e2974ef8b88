#pragma once
// SendBuffer: the memory that a program has attached for buffered sends (MPI 5.0, clause 3.6), and
// the messages in it.
//
// A message is packed into a part of this memory and sent from there. The part is free again when
// the message has left. Any thread. While a function blocks, other threads may use the buffer.
// Does not: wait in its destructor for its messages. detach(), flush() or the close of the
// messenger do.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

class SendBuffer {
 public:
  // With MPI_BUFFER_AUTOMATIC as `memory`, the library allocates what it needs, and `size` is
  // ignored. MPI_ERR_BUFFER: a buffer is attached already; MPI_ERR_ARG: `size` is negative.
  int attach(void* memory, std::int64_t size) LINTEL_EXCLUDES(mutex_);
  bool is_attached() const LINTEL_EXCLUDES(mutex_);

  // Sends a copy of the items in standard mode. kNoRoom: the copy does not fit, or no buffer is
  // attached.
  [[nodiscard]] CallError send(Messenger& messenger, const ItemBuffer& items,
                               SendArguments arguments) LINTEL_EXCLUDES(mutex_);

  // Blocks until all messages that are in it now have left.
  void flush(Messenger& messenger) LINTEL_EXCLUDES(mutex_) { wait_for(messenger, content()); }
  // The same in two steps: get the messages that are in it now, and wait for them.
  struct BufferedMessage;
  using Content = std::vector<std::shared_ptr<BufferedMessage>>;
  Content content() const LINTEL_EXCLUDES(mutex_);
  void wait_for(Messenger& messenger, const Content& content) LINTEL_EXCLUDES(mutex_);
  // The same, then detaches the buffer and returns it; a null pointer and 0 if none was attached.
  void detach(Messenger& messenger, void** memory, std::int64_t* size) LINTEL_EXCLUDES(mutex_);

 private:
  // by their positions in the buffer
  using MessagesByPosition = std::map<std::int64_t, std::shared_ptr<BufferedMessage>>;

  bool is_automatic() const LINTEL_REQUIRES(mutex_);
  std::int64_t place_for(std::int64_t size) const LINTEL_REQUIRES(mutex_);
  void drop_completed(Messenger& messenger) LINTEL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::byte* memory_ LINTEL_GUARDED_BY(mutex_) = nullptr;
  std::int64_t size_ LINTEL_GUARDED_BY(mutex_) = 0;
  bool attached_ LINTEL_GUARDED_BY(mutex_) = false;
  std::int64_t next_ LINTEL_GUARDED_BY(mutex_) = 0;  // the end of the last message, where the
                                                     // search for room begins
  MessagesByPosition messages_ LINTEL_GUARDED_BY(mutex_);
};

// The buffer of MPI_Buffer_attach, for communicators without a buffer of their own. Made at first
// use and never destroyed.
SendBuffer& process_send_buffer();

}  // namespace lintel::mpi
