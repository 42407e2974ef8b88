#pragma once
// UnexpectedBlocks: the memory of unexpected messages. It is bounded, and allocated before messages
// arrive.
//
// Blocks are entries in the overflow list of the message portal. The engine fills one after the
// other. Messages without data have an entry of their own, which is never used up. One message that
// nobody receives would occupy a whole block. Therefore make_room() moves such messages to memory
// of their own, each once, and appends the block again. A block of which all messages were received
// is reused at once. So a program with few unexpected messages always uses the same memory, which
// is mapped and in the cache.
//
// Two thirds of the memory are blocks. All senders together have credit for half of what the blocks
// hold. So the moved messages need less than the last third, and make_room() seldom has to move
// any.
//
// Owned by the messenger; the process' lock guards it. Borrows the engine.
// Invariants: (1) room() is never more than what the engine accepts, whatever the lengths of the
// messages up to the longest.
// Does not: know senders or credit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_layer/p2p/engine_access.h"

namespace lintel::mpi {

class UnexpectedBlocks {
 public:
  explicit UnexpectedBlocks(EngineAccess& engine) : engine_(engine) {}
  UnexpectedBlocks(const UnexpectedBlocks&) = delete;
  UnexpectedBlocks& operator=(const UnexpectedBlocks&) = delete;

  // The longest message that is sent whole, and so needs room here, if `bytes` of memory are used
  // in all. It is at least `eager_limit`.
  static std::uint64_t longest(std::uint64_t bytes, std::uint64_t eager_limit);
  // The credit of all senders together, in bytes.
  static std::uint64_t window(std::uint64_t bytes, std::uint64_t longest);

  // Appends the entries. REQUIRES: the overflow list of the message portal is empty. Errors:
  // kNoSpace.
  [[nodiscard]] portals::Status open(std::uint64_t bytes, std::uint64_t longest)
      LINTEL_REQUIRES(kLock);
  // Frees moved messages that were never received. Call it before the interface is closed.
  void close() LINTEL_REQUIRES(kLock);

  // A message has arrived here; `event` is its PUT_END.
  void on_arrival(const portals::Event& event) LINTEL_REQUIRES(kLock);
  // A message was received, and its data have been copied from where `event`, its PUT_OVERFLOW,
  // says.
  void release(const portals::Event& event) LINTEL_REQUIRES(kLock);
  // Removes a message that no receive has claimed. Its data are not needed any more. REQUIRES: all
  // of it has arrived.
  void consume(portals::UnexpectedMessage& message) LINTEL_REQUIRES(kLock);
  // Reuses the blocks that hold no message any more. REQUIRES: on_arrival() was called for every
  // arrival, and release() for every message that was received.
  void reuse_blocks() LINTEL_REQUIRES(kLock) {
    if (released_) rewind_empty();
  }

  // The number of bytes that are certain to find room.
  std::uint64_t room() const LINTEL_REQUIRES(kLock);
  // Makes sure that there is room for `bytes`, at most window(). REQUIRES: as reuse_blocks().
  // False: there is no memory to which messages could be moved.
  bool make_room(std::uint64_t bytes) LINTEL_REQUIRES(kLock);

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::uint64_t used = 0;
    SlotId entry;
    SlotId descriptor;
  };
  static std::uint64_t block_bytes(std::uint64_t bytes, std::uint64_t longest);
  portals::Status append(Block& block) LINTEL_REQUIRES(kLock);
  std::uint64_t room_in(const Block& block) const LINTEL_REQUIRES(kLock);
  bool empty(const Block& block) LINTEL_REQUIRES(kLock);
  bool renew(Block& block) LINTEL_REQUIRES(kLock);
  bool move_messages(const Block& block) LINTEL_REQUIRES(kLock);
  void rewind_empty() LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  std::uint64_t longest_ LINTEL_GUARDED_BY(kLock) = 0;
  std::uint64_t block_bytes_ LINTEL_GUARDED_BY(kLock) = 0;
  std::vector<Block> blocks_ LINTEL_GUARDED_BY(kLock);
  bool released_ LINTEL_GUARDED_BY(kLock) = false;  // since the last reuse_blocks()
};

}  // namespace lintel::mpi
