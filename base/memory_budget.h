#pragma once
// MemoryBudget: how many bytes of one kind may be kept, and how many are.
//
// Guarded by its owner's lock. Invariant: taken() is at most the limit.
// Does not: allocate.

#include <cstddef>

namespace lintel {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}

  // False: so many bytes more would exceed the limit. Nothing has changed then.
  bool take(std::size_t bytes) {
    if (bytes > limit_ - taken_) return false;
    taken_ += bytes;
    return true;
  }
  void give_back(std::size_t bytes) { taken_ -= bytes; }
  std::size_t taken() const { return taken_; }
  std::size_t left() const { return limit_ - taken_; }

 private:
  std::size_t limit_;
  std::size_t taken_ = 0;
};

}  // namespace lintel
