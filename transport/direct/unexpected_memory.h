#pragma once
// UnexpectedMemory: where the payloads of placed messages go that no receiver expects. A bound for
// all peers: a payload that finds none waits in its stream.
//
// A member of DirectTransport; guarded by its owner's lock.
// Does not: know which connections have it.

#include <cstddef>
#include <memory>
#include <vector>

namespace lintel::transport {

class UnexpectedMemory {
 public:
  // Payloads that may arrive at once, and the largest.
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  using Slot = std::unique_ptr<std::byte[]>;  // kBytes

  UnexpectedMemory() { free_.reserve(kMost); }
  UnexpectedMemory(const UnexpectedMemory&) = delete;
  UnexpectedMemory& operator=(const UnexpectedMemory&) = delete;

  // Null: all are in use, or the process has no memory.
  Slot take();
  // `slot` is one that take() has returned. No effect if it is null.
  void give_back(Slot slot);
  std::size_t in_use() const { return in_use_; }
  bool is_used_up() const { return in_use_ == kMost; }

 private:
  std::vector<Slot> free_;  // the latest last
  std::size_t in_use_ = 0;
};

}  // namespace lintel::transport
