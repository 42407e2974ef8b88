#pragma once
// WriteTargets: the memory that is registered for the writes of peers, by the key that a peer
// presents.
//
// A key is random: a guessed key, or that of a late write to the process that had this address
// before, names no memory. It belongs to one peer.
//
// A member of DirectTables; guarded by its owner's lock. Borrows the memory until remove(), and
// a stream that writes from begin_write() until end_write().
// Does not: write, or count the registrations of each peer.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "base/random_numbers.h"
#include "transport/direct/inbound_stream.h"
#include "transport/transport.h"

namespace lintel::transport {

class WriteTargets {
 public:
  // Throws std::bad_alloc; nothing has changed then.
  Registration add(PeerId peer, std::span<std::byte> memory);
  // No write changes the memory from now on; one that arrives is cut. Returns the peer that it was
  // registered for, kNoPeer if there is no such registration.
  PeerId remove(const Registration& region);

  // `stream` begins a write of `length` bytes of the peer. Returns their place; nullptr: the peer
  // has no such memory.
  std::byte* begin_write(PeerId peer, RemoteMemory where, std::size_t length,
                         InboundStream& stream);
  // The stream does not write any more to the memory with this key. No effect if it did not.
  void end_write(std::uint64_t key, const InboundStream& stream);

  std::size_t size() const { return targets_.size(); }

 private:
  struct WriteTarget {
    std::span<std::byte> memory;
    PeerId peer;
    InboundStream* writer = nullptr;  // on which a write to it arrives
  };

  std::unordered_map<std::uint64_t, WriteTarget> targets_;  // by key
  std::uint64_t next_id_ = 1;
  RandomNumbers keys_;
};

}  // namespace lintel::transport
