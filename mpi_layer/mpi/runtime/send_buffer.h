#pragma once
// SendBuffer: the memory that a program has attached for buffered sends (MPI 5.0, clause 3.6), and
// the messages that are in it.
//
// A message is packed into memory of its own there and sent from it; its memory is free again when
// it has left. Any thread. Where it blocks, other threads may go on using it.
// Does not: wait at its end for what it holds: detach() or flush() does, or the messenger's close.

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
  // `memory` MPI_BUFFER_AUTOMATIC: the library's own, as much as there is; `size` does not count
  // then. MPI_ERR_BUFFER: something is attached; MPI_ERR_ARG: a size below 0.
  int attach(void* memory, std::int64_t size) LINTEL_EXCLUDES(mutex_);
  bool is_attached() const LINTEL_EXCLUDES(mutex_);

  // Sends a copy of the items in standard mode. kNoRoom: it does not fit, or nothing is attached.
  [[nodiscard]] Refusal send(Messenger& messenger, const ItemBuffer& items, SendArguments arguments)
      LINTEL_EXCLUDES(mutex_);

  // Blocks until what is in it now has left.
  void flush(Messenger& messenger) LINTEL_EXCLUDES(mutex_) { wait_for(messenger, content()); }
  // The same in two steps: what is in it now, and waiting for that.
  struct Message;
  using Content = std::vector<std::shared_ptr<Message>>;
  Content content() const LINTEL_EXCLUDES(mutex_);
  void wait_for(Messenger& messenger, const Content& content) LINTEL_EXCLUDES(mutex_);
  // The same, then gives back what was attached: a null pointer and 0 if nothing was.
  void detach(Messenger& messenger, void** memory, std::int64_t* size) LINTEL_EXCLUDES(mutex_);

 private:
  // by their places in the buffer
  using Messages = std::map<std::int64_t, std::shared_ptr<Message>>;

  bool is_automatic() const LINTEL_REQUIRES(mutex_);
  std::int64_t place_for(std::int64_t size) const LINTEL_REQUIRES(mutex_);
  void drop_completed(Messenger& messenger) LINTEL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::byte* memory_ LINTEL_GUARDED_BY(mutex_) = nullptr;
  std::int64_t size_ LINTEL_GUARDED_BY(mutex_) = 0;
  bool attached_ LINTEL_GUARDED_BY(mutex_) = false;
  std::int64_t next_ LINTEL_GUARDED_BY(mutex_) = 0;  // where the last message ended: the first
                                                     // place to look for room
  Messages messages_ LINTEL_GUARDED_BY(mutex_);
};

// That of MPI_Buffer_attach, for communicators that have none of their own. Made at first use and
// never destroyed.
SendBuffer& process_send_buffer();

}  // namespace lintel::mpi
