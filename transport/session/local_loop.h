#pragma once
// LocalLoop: messages and writes of a process to itself. They are queued here; deliver() reports
// them, never the call that posted them.
//
// Owned by a Session; its lock guards it. Messages are packed into blocks of one frame each. The
// blocks are used again, so nothing is allocated once they exist.
// Invariants: (1) messages are delivered once and in order; (2) the bytes of a message are 8-byte
// aligned and do not move before it is delivered; (3) at most `max_messages` messages and as many
// writes wait, in at most kMaxBlocks blocks.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/slot_pool.h"
#include "transport/transport.h"

namespace lintel::transport {

class LocalLoop {
 public:
  static constexpr std::size_t kMaxBlocks = 64;

  // `max_message_bytes`: the largest message that reserve() is asked for.
  LocalLoop(std::size_t max_message_bytes, std::size_t max_messages);

  // As in Transport, with one reservation at a time.
  MessageBuffer reserve(std::size_t bytes);
  void commit(std::size_t bytes);

  // Registers memory for writes of the process to itself: base = address, key = id, which has
  // kLocalRegion set.
  static constexpr std::uint64_t kLocalRegion = std::uint64_t{1} << 63;
  Result<Registration> register_memory(std::span<std::byte> memory);
  // Drops waiting writes that use this registration for their source or their target, and later
  // writes to its key. They end with an error.
  void deregister_memory(const Registration& region);
  PostStatus post_write(const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context);

  // Drops all waiting messages and writes. The writes end with an error.
  void disconnect();

  bool empty() const { return messages_ == 0 && writes_count_ == 0; }
  std::size_t waiting_messages() const { return messages_; }
  // Delivers what waited when it was called. What the sink adds waits for the next call. Returns
  // the number of reports.
  std::size_t deliver(PeerId self, Sink& sink);

 private:
  struct MessageBlock {
    std::unique_ptr<std::uint64_t[]> words;
    std::size_t end = 0;  // bytes filled
    std::byte* data() const { return reinterpret_cast<std::byte*>(words.get()); }
  };
  struct LocalWrite {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t length = 0;
    std::uint64_t from_region = 0;
    std::uint64_t to_key = 0;
    Immediate immediate;
    Context context;
    bool dropped = false;
    bool told = false;  // its immediate was reported
  };
  struct LocalRegistration {};  // only its existence matters

  MessageBlock& tail() { return blocks_[(head_ + used_blocks_ - 1) % kMaxBlocks]; }

  std::size_t block_bytes_;
  std::size_t max_messages_;
  std::vector<MessageBlock> blocks_;  // ring of kMaxBlocks; memory is allocated on first use
  std::size_t head_ = 0;
  std::size_t used_blocks_ = 0;
  std::size_t read_ = 0;  // bytes of the head block that were delivered
  bool told_ = false;     // the message there was; what follows of it was not, for lack of memory
  std::size_t messages_ = 0;
  std::size_t dropped_ = 0;         // the first so many of them are not delivered
  std::vector<LocalWrite> writes_;  // ring of max_messages_
  std::size_t first_write_ = 0;
  std::size_t writes_count_ = 0;
  SlotPool<LocalRegistration> regions_;
};

}  // namespace lintel::transport
