#pragma once
// Memory of one message: `size` bytes, in one piece or scattered over several, with guard bytes behind each piece.
//
// Owns the memory and the iovec that describes it; both stay where they are for the life of the object, whatever is done with descriptors made
// from it. Not thread safe; the network writes into it while operations are under way.

#include <portals3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pattern.h"

namespace lintel::perf {

class Region {
 public:
  // Throws Failure if there is not enough memory. REQUIRES: size_bytes >= 1, pieces >= 1.
  Region(std::uint64_t size_bytes, std::size_t pieces);

  // A descriptor of the whole region with no threshold; valid while the region lives.
  ptl_md_t descriptor(ptl_handle_eq_t eq, unsigned options) const;

  void fill(std::uint64_t id);
  void poison(std::uint64_t id);

  // Throws Failure(kFailed), which says what the bytes are and where, unless every byte is message `id`'s and every guard byte is untouched.
  void check(std::uint64_t id) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::span<std::byte> piece(std::size_t index) const;
  void check_guards() const;

  std::uint64_t size_bytes_;
  std::unique_ptr<std::byte, Free> memory_;
  mutable std::vector<ptl_md_iovec_t> pieces_;  // PtlMDBind takes it as void*; it is copied there
};

}  // namespace lintel::perf
