#pragma once
// Memory of one message: `size` bytes, in one piece or scattered over several, with guard bytes behind each piece.
//
// Owns the memory, which stays where it is for the life of the object. Not thread safe; the network writes into it while operations are under way.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "operations.h"
#include "pattern.h"

namespace lintel::perf {

class Region {
 public:
  // Throws Failure if there is not enough memory. REQUIRES: size_bytes >= 1, pieces >= 1.
  Region(std::uint64_t size_bytes, std::size_t pieces);

  std::span<const Piece> pieces() const { return pieces_; }

  void fill(std::uint64_t id);
  void poison(std::uint64_t id);

  // Throws Failure(kFailed), which says what the bytes are and where, unless every byte is message `id`'s and every guard byte is untouched.
  void check(std::uint64_t id) const;

  // The same for the words of sums.h: what is added, and what `times` sums leave.
  void fill_operands();
  void fill_sums(std::uint64_t times);
  void check_sums(std::uint64_t times) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  void check_guards() const;

  std::uint64_t size_bytes_;
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<Piece> pieces_;
};

}  // namespace lintel::perf
