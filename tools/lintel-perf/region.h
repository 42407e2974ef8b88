#pragma once
// Memory of one message: `size` bytes, in one piece or scattered over several, with guard bytes
// behind each piece; and what makes it known to the API.
//
// Owns the memory, which stays where it is for the life of the object, and its attachment. Not
// thread safe; the network writes into it while operations are under way.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "contents.h"
#include "operations.h"

namespace lintel::perf {

class Region {
 public:
  // Throws Failure if there is not enough memory. REQUIRES: size_bytes >= 1, pieces >= 1.
  Region(std::uint64_t size_bytes, std::size_t pieces);
  Region(Region&&) noexcept = default;
  ~Region() { detach({}); }

  std::span<const Piece> pieces() const { return pieces_; }

  void attach(std::unique_ptr<Attachment> attachment) { attachment_ = std::move(attachment); }
  // REQUIRES: attach() has been called.
  const Attachment& attachment() const { return *attachment_; }
  // Takes the memory back from the API. An operation that is under way until `end` keeps memory and
  // attachment until the process ends.
  void detach(std::chrono::steady_clock::time_point end);

  void fill(const Content& content);
  // Throw Failure(kFailed), which says what the bytes are and where, unless every byte is message
  // `id`'s, or what `times` sums leave, and every guard byte is untouched.
  void check(std::uint64_t id) const;
  void check_sums(std::uint64_t times) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::optional<Mismatch> first_wrong(const Content& content) const;
  void check_guards() const;

  std::uint64_t size_bytes_;
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<Piece> pieces_;
  std::unique_ptr<Attachment> attachment_;
};

}  // namespace lintel::perf
