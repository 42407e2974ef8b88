#pragma once
// Message memory as Portals 3 is told of it.

#include <portals3.h>

#include <span>
#include <vector>

#include "operations.h"

namespace lintel::perf::api3 {

// Owns the list of pieces, which a descriptor points to.
class Memory {
 public:
  explicit Memory(std::span<const Piece> memory) {
    for (const Piece& piece : memory) {
      pieces_.push_back({piece.start, piece.length});
      length_ += piece.length;
    }
  }

  // Of the whole memory, with no threshold; valid while this lives.
  ptl_md_t descriptor(ptl_handle_eq_t eq, unsigned options) {
    const bool scattered = pieces_.size() > 1;
    ptl_md_t md{};
    md.start = scattered ? static_cast<void*>(pieces_.data()) : pieces_[0].iov_base;
    md.length = scattered ? pieces_.size() : length_;
    md.threshold = PTL_MD_THRESH_INF;
    md.options = options | PTL_MD_EVENT_START_DISABLE | (scattered ? PTL_MD_IOVEC : 0U);
    md.eq_handle = eq;
    return md;
  }

 private:
  std::vector<ptl_md_iovec_t> pieces_;
  std::uint64_t length_ = 0;
};

}  // namespace lintel::perf::api3
