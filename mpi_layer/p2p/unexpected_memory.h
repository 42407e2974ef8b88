#pragma once
// UnexpectedMemory: where the bytes of messages lie that arrive before their receive, in memory that is bounded and always there for what may come.
//
// Blocks are entries in the overflow list of the portal of messages, which the engine fills one after the other; header-only messages have an entry of their
// own, which never ends. One message that nobody receives would hold a whole block, so make_room() moves such messages out of the way, each once, and appends
// the block anew. A block all of whose messages were received starts anew at once: a few messages always lie in the same memory, which is mapped and in the cache.
// Of the bytes that it is given, blocks have two thirds. Senders together may have half of what the blocks take on their way, unmatched ones included: so what
// is moved out of the way is less than the last third, and make_room() is seldom asked to move anything.
//
// Owned by a messenger; its process' lock guards it. Borrows the interface.
// Invariants: (1) room() is never more than the engine would take of messages up to the longest, in whatever sizes they come.
// Does not: know who sends, or give credit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "portals/engine/network_interface.h"

namespace lintel::mpi {

class UnexpectedMemory {
 public:
  // The longest message that goes ahead whole, and so has to find room, where `bytes` are to be used in all: at least `eager_limit`.
  static std::uint64_t longest(std::uint64_t bytes, std::uint64_t eager_limit);
  // What all senders together may have on their way.
  static std::uint64_t window(std::uint64_t bytes, std::uint64_t longest);

  // Appends the entries. REQUIRES: `portal` is allocated; its overflow list is empty. Errors: kNoSpace.
  [[nodiscard]] portals::Status open(portals::NetworkInterface& interface, std::uint32_t portal, std::uint64_t bytes,
                                     std::uint64_t longest);
  // Frees what was moved and never received. Before the interface ends.
  void close();

  // A message has come to lie here: `event` is that of its arrival.
  void on_arrival(const portals::Event& event);
  // A message was received whose data are where `event`, its PUT_OVERFLOW, says, and have been copied.
  void release(const portals::Event& event);
  // One that no receive has claimed is taken out, and nobody needs its data there any more. REQUIRES: as NetworkInterface::consume_unexpected().
  void consume(portals::UnexpectedMessage& message);
  // Blocks that hold nothing any more start anew. REQUIRES: every arrival was told, every event of a message that was received taken.
  void start_anew() {
    if (released_) rewind_empty();
  }

  // How many more bytes are sure to find room.
  std::uint64_t room() const;
  // Makes sure that there is room for so many, at most window(). REQUIRES: every arrival was told, every event of a message that was received taken.
  // False: without memory to move messages to.
  bool make_room(std::uint64_t bytes);

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::uint64_t spent = 0;
    SlotId entry;
    SlotId descriptor;
  };
  static std::uint64_t block_bytes(std::uint64_t bytes, std::uint64_t longest);
  portals::Status append(Block& block);
  std::uint64_t room_in(const Block& block) const;
  bool empty(const Block& block);
  bool renew(Block& block);
  bool vacate(const Block& block);
  void rewind_empty();

  portals::NetworkInterface* interface_ = nullptr;
  std::uint32_t portal_ = 0;
  std::uint64_t longest_ = 0;
  std::uint64_t block_bytes_ = 0;
  std::vector<Block> blocks_;
  bool released_ = false;  // something, since the last start_anew()
};

}  // namespace lintel::mpi
