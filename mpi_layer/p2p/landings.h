#pragma once
// Landings: where the bytes of messages lie that arrive before their receive, in memory that is
// bounded and always there for what may come.
//
// Blocks are entries in the overflow list of the message portal, which the engine fills one after
// the other; header-only messages have an entry of their own, which never ends. One message that
// nobody receives would hold a whole block, so make_room() moves such messages out of the way, each
// once, and appends the block anew. A block of which all messages were received starts anew at
// once: a few messages always lie in the same memory, which is mapped and in the cache. Of the
// bytes that it is given, blocks have two thirds. Senders together may have half of what the blocks
// take on their way, unmatched ones included. So what is moved out of the way is less than the last
// third, and make_room() is seldom asked to move anything.
//
// Owned by the messenger; the process' lock guards it. Borrows the engine.
// Invariants: (1) room() is never more than the engine would take of messages up to the longest, in
// whatever sizes they come.
// Does not: know who sends, or give credit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_layer/p2p/engine_access.h"

namespace lintel::mpi {

class Landings {
 public:
  explicit Landings(EngineAccess& engine) : engine_(engine) {}
  Landings(const Landings&) = delete;
  Landings& operator=(const Landings&) = delete;

  // The longest message that goes ahead whole, and so has to find room, where `bytes` are to be
  // used in all: at least `eager_limit`.
  static std::uint64_t longest(std::uint64_t bytes, std::uint64_t eager_limit);
  // What all senders together may have on their way.
  static std::uint64_t window(std::uint64_t bytes, std::uint64_t longest);

  // Appends the entries. REQUIRES: the overflow list of the message portal is empty. Errors:
  // kNoSpace.
  [[nodiscard]] portals::Status open(std::uint64_t bytes, std::uint64_t longest)
      LINTEL_REQUIRES(kLock);
  // Frees what was moved and never received. Before the interface ends.
  void close() LINTEL_REQUIRES(kLock);

  // A message has come to lie here: `event` is that of its arrival.
  void on_arrival(const portals::Event& event) LINTEL_REQUIRES(kLock);
  // A message was received whose data are where `event`, its PUT_OVERFLOW, says, and have been
  // copied.
  void release(const portals::Event& event) LINTEL_REQUIRES(kLock);
  // One that no receive has claimed is taken out, and nobody needs its data there any more.
  // REQUIRES: it has landed.
  void consume(portals::UnexpectedMessage& message) LINTEL_REQUIRES(kLock);
  // Blocks that hold nothing any more start anew. REQUIRES: every arrival was told, every event of
  // a message that was received taken.
  void start_anew() LINTEL_REQUIRES(kLock) {
    if (released_) rewind_empty();
  }

  // How many more bytes are sure to find room.
  std::uint64_t room() const LINTEL_REQUIRES(kLock);
  // Makes sure that there is room for so many, at most window(). REQUIRES: every arrival was told,
  // every event of a message that was received taken. False: without memory to move messages to.
  bool make_room(std::uint64_t bytes) LINTEL_REQUIRES(kLock);

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::uint64_t spent = 0;
    SlotId entry;
    SlotId descriptor;
  };
  static std::uint64_t block_bytes(std::uint64_t bytes, std::uint64_t longest);
  portals::Status append(Block& block) LINTEL_REQUIRES(kLock);
  std::uint64_t room_in(const Block& block) const LINTEL_REQUIRES(kLock);
  bool empty(const Block& block) LINTEL_REQUIRES(kLock);
  bool renew(Block& block) LINTEL_REQUIRES(kLock);
  bool vacate(const Block& block) LINTEL_REQUIRES(kLock);
  void rewind_empty() LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  std::uint64_t longest_ LINTEL_GUARDED_BY(kLock) = 0;
  std::uint64_t block_bytes_ LINTEL_GUARDED_BY(kLock) = 0;
  std::vector<Block> blocks_ LINTEL_GUARDED_BY(kLock);
  bool released_ LINTEL_GUARDED_BY(kLock) = false;  // something, since the last start_anew()
};

}  // namespace lintel::mpi
