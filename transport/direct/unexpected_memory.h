#pragma once
// UnexpectedMemory: where the payloads of placed messages go that no receiver expects. A bound for
// all peers: a payload that finds none waits in its stream.
//
// A member of DirectTables; guarded by its owner's lock.
// Does not: know which connections have it.

#include <cstddef>
#include <memory>
#include <utility>

#include "transport/direct/stream_buffers.h"

namespace lintel::transport {

class UnexpectedMemory {
 public:
  // Payloads that may arrive at once, and the largest.
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  using Slot = std::unique_ptr<std::byte[]>;  // kBytes

  // Null: all are in use, or the process has no memory.
  Slot take() { return is_used_up() ? nullptr : slots_.take(); }
  // `slot` is one that take() has returned. No effect if it is null.
  void give_back(Slot slot) {
    if (slot) slots_.give_back(std::move(slot));
  }
  std::size_t in_use() const { return slots_.in_use(); }
  bool is_used_up() const { return in_use() == kMost; }

 private:
  StreamBuffers slots_{kBytes, kMost};
};

}  // namespace lintel::transport
