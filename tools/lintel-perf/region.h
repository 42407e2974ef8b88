#pragma once
// Memory of one message: in one piece or scattered over several, with guard bytes behind each
// piece; and what makes it known to the API.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "contents.h"
#include "operations.h"

namespace lintel::perf {

// Owns the memory, which stays where it is for the life of the object, and its attachment. Not
// thread safe; the network writes into it while operations are under way.
class Region {
 public:
  // Throws PerfFailure if there is not enough memory. REQUIRES: size_bytes >= 1, pieces >= 1.
  Region(std::uint64_t size_bytes, std::size_t pieces) : size_bytes_(size_bytes) {
    const std::uint64_t total = (size_bytes + pieces * kGuardBytes + kPage - 1) / kPage * kPage;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, total)));
    if (!memory_) fail("not enough memory for a message of {} bytes", size_bytes);
    std::byte* at = memory_.get();
    for (std::uint64_t done = 0, i = 0; i < pieces; ++i) {
      const std::uint64_t length = (size_bytes - done) / (pieces - i);
      pieces_.push_back({at, length});
      std::fill_n(at + length, kGuardBytes, kGuard);
      at += length + kGuardBytes;
      done += length;
    }
  }
  Region(Region&&) noexcept = default;
  ~Region() { detach({}); }

  std::span<const MemoryPiece> pieces() const { return pieces_; }

  void attach(std::unique_ptr<Attachment> attachment) { attachment_ = std::move(attachment); }
  // REQUIRES: attach() has been called.
  const Attachment& attachment() const { return *attachment_; }
  // Takes the memory back from the API. An operation that is under way until `end` keeps memory and
  // attachment until the process ends.
  void detach(std::chrono::steady_clock::time_point end) {
    if (!attachment_) return;
    bool detached = attachment_->detach();
    while (!detached && std::chrono::steady_clock::now() < end) detached = attachment_->detach();
    if (!detached) {
      static_cast<void>(attachment_.release());
      static_cast<void>(memory_.release());
    }
    attachment_.reset();
  }

  void fill(const WordSequence& content) {
    std::uint64_t offset = 0;
    for (const MemoryPiece& piece : pieces_) {
      perf::fill({piece.start, piece.length}, offset, content);
      offset += piece.length;
    }
  }

  // Throw PerfFailure(kFailed), which says what the bytes are and where, unless every byte is
  // message `id`'s, or what `times` sums leave, and every guard byte is untouched.
  void check(std::uint64_t id) const {
    check(pattern(id), [&] {
      return fmt::format("in message {} of pass {}", id & 0xffffffffffff, (id >> 48) & 0x7fff);
    });
  }
  void check_sums(std::uint64_t times) const {
    check(sums(times), [&] { return fmt::format("after {} sums", times); });
  }

 private:
  static constexpr std::size_t kGuardBytes = 64;
  static constexpr std::byte kGuard{0xA5};
  static constexpr std::size_t kPage = 4096;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  template <class Where>
  void check(const WordSequence& content, Where where) const {
    std::uint64_t offset = 0;
    for (const MemoryPiece& piece : pieces_) {
      if (const auto wrong = perf::check({piece.start, piece.length}, offset, content)) {
        fail("verification failed: byte {} of {} {} is 0x{:02x}; expected 0x{:02x}", wrong->offset,
             size_bytes_, where(), wrong->found, wrong->expected);
      }
      offset += piece.length;
    }
    for (const MemoryPiece& piece : pieces_) {
      const std::byte* guard = piece.start + piece.length;
      if (std::any_of(guard, guard + kGuardBytes, [](std::byte b) { return b != kGuard; })) {
        fail("verification failed: bytes behind a piece of {} bytes were written", piece.length);
      }
    }
  }

  std::uint64_t size_bytes_;
  std::unique_ptr<std::byte, Free> memory_;
  std::vector<MemoryPiece> pieces_;
  std::unique_ptr<Attachment> attachment_;
};

}  // namespace lintel::perf
