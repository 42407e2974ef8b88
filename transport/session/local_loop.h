#pragma once
// LocalLoop: messages and writes of a process to itself. They wait here and come out in deliver(),
// never inside the call that made them.
//
// Owned by a Session; its lock guards it. Messages are packed into blocks of one frame each, which
// are used again: no allocation once the blocks are there.
// Invariants: (1) messages come out once and in order; (2) a message's bytes are 8-byte aligned and
// stay put until it has come out;
//             (3) at most `max_messages` messages and as many writes wait, in at most kMaxBlocks
//                 blocks.

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

  // As Transport's; one reservation at a time.
  MessageBuffer reserve(std::size_t bytes);
  void commit(std::size_t bytes);

  // Registration for writes to oneself: base = address, key = id, which has kLocalRegion set.
  static constexpr std::uint64_t kLocalRegion = std::uint64_t{1} << 63;
  Result<Region> register_memory(std::span<std::byte> memory);
  // Writes with this registration, on either side, that wait are dropped, and so are those that are
  // posted to its key from now on; they end with an error.
  void deregister_memory(const Region& region);
  PostStatus post_write(const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context);

  // Nothing that waits is handed over; the writes that wait end with an error.
  void disconnect();

  bool empty() const { return messages_ == 0 && writes_count_ == 0; }
  std::size_t waiting_messages() const { return messages_; }
  // Hands over what waited when it was called; what the sink adds waits for the next. Returns the
  // number of reports.
  std::size_t deliver(PeerId self, Sink& sink);

 private:
  struct Block {
    std::unique_ptr<std::uint64_t[]> words;
    std::size_t end = 0;  // bytes filled
    std::byte* data() const { return reinterpret_cast<std::byte*>(words.get()); }
  };
  struct Write {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t length = 0;
    std::uint64_t from_region = 0;
    std::uint64_t to_key = 0;
    Immediate immediate;
    Context context;
    bool dropped = false;
  };
  struct LocalRegion {};  // that it exists is all that is known of it

  Block& tail() { return blocks_[(head_ + used_blocks_ - 1) % kMaxBlocks]; }

  std::size_t block_bytes_;
  std::size_t max_messages_;
  std::vector<Block> blocks_;  // ring of kMaxBlocks; memory appears on first use
  std::size_t head_ = 0;
  std::size_t used_blocks_ = 0;
  std::size_t read_ = 0;  // bytes of the head block that have come out
  std::size_t messages_ = 0;
  std::size_t dropped_ = 0;    // of them, the first: not to be handed over
  std::vector<Write> writes_;  // ring of max_messages_
  std::size_t first_write_ = 0;
  std::size_t writes_count_ = 0;
  SlotPool<LocalRegion> regions_;
};

}  // namespace lintel::transport
