#pragma once
// Message memory as Portals 4 is told of it.

#include <portals4.h>

#include <span>
#include <vector>

#include "operations.h"

namespace lintel::perf::api4 {

// Owns the list of pieces, which belongs to the interface as long as the memory does.
class Memory {
 public:
  explicit Memory(std::span<const Piece> memory) {
    for (const Piece& piece : memory) {
      pieces_.push_back({piece.start, piece.length});
      length_ += piece.length;
    }
  }

  // Says where it is in an MD, an LE or an ME.
  template <class Described>
  void describe(Described& described) {
    const bool scattered = pieces_.size() > 1;
    described.start = scattered ? static_cast<void*>(pieces_.data()) : pieces_[0].iov_base;
    described.length = scattered ? pieces_.size() : length_;
    if (scattered) described.options |= PTL_IOVEC;
  }

 private:
  std::vector<ptl_iovec_t> pieces_;
  std::uint64_t length_ = 0;
};

}  // namespace lintel::perf::api4
