#pragma once
// What message memory holds, so that a missing, misplaced, torn or repeated message is noticed.
// Every process knows all bytes without any exchange: they are 64-bit words that follow from their
// place in the message. Memory is given piece by piece; `offset` is the place of its first byte.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "operations.h"

namespace lintel::perf {

struct WordSequence {
  std::uint64_t base;
  std::uint64_t step;
  std::uint64_t flip = 0;

  constexpr std::uint64_t word(std::uint64_t index) const { return (base + index * step) ^ flip; }
};

inline constexpr std::uint64_t kStep =
    0x9E3779B97F4A7C15;  // odd; its multiples have bits everywhere

enum class Origin : std::uint8_t { kInitiator = 0, kTarget = 1 };

// The id of message `iteration` of pass `pass` with bytes made by `origin`.
constexpr std::uint64_t pattern_id(Origin origin, std::uint64_t pass, std::uint64_t iteration) {
  return (std::uint64_t{static_cast<std::uint8_t>(origin)} << 63) | ((pass & 0x7fff) << 48) |
         (iteration & 0xffffffffffff);
}

// Message `id`. Messages whose ids differ in the low 8 bits differ in their first byte, so also
// messages of one byte can be told apart.
constexpr WordSequence pattern(std::uint64_t id) {
  std::uint64_t x = id + kStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  // The low byte counts messages; the two origins differ there as well.
  return {(x & ~std::uint64_t{0xff}) | ((id ^ (id >> 63)) & 0xff), kStep};
}
// Differs from message `id` in every byte.
constexpr WordSequence poison(std::uint64_t id) {
  return {pattern(id).base, kStep, ~std::uint64_t{0}};
}

// What each atomic sum adds, and what `times` of them leave: word i begins as -1 - i kStep. Words
// differ, and sums carry through all bytes.
constexpr WordSequence operands() { return {kStep, 2 * kStep}; }
constexpr WordSequence sums(std::uint64_t times) {
  return {times * operands().base - 1, times * operands().step - kStep};
}

inline void fill(std::span<std::byte> memory, std::uint64_t offset, const WordSequence& content) {
  for (std::size_t at = 0, length = 0; at < memory.size(); at += length) {
    const std::uint64_t word = content.word((offset + at) / 8);
    const std::size_t skipped = (offset + at) % 8;
    length = std::min(memory.size() - at, 8 - skipped);
    if (length == 8) {  // nearly always: with a length that the compiler knows
      std::memcpy(&memory[at], &word, 8);
    } else {
      std::memcpy(&memory[at], reinterpret_cast<const std::byte*>(&word) + skipped, length);
    }
  }
}

struct Mismatch {
  std::uint64_t offset;  // in the message, bytes
  std::uint8_t expected;
  std::uint8_t found;
};

// The first byte that differs.
inline std::optional<Mismatch> check(std::span<const std::byte> memory, std::uint64_t offset,
                                     const WordSequence& content) {
  std::array<std::byte, 4096> expected;
  for (std::size_t at = 0; at < memory.size(); at += expected.size()) {
    const auto found = memory.subspan(at, std::min(expected.size(), memory.size() - at));
    fill(std::span(expected).first(found.size()), offset + at, content);
    if (std::memcmp(found.data(), expected.data(), found.size()) == 0) continue;
    std::size_t i = 0;
    while (found[i] == expected[i]) ++i;
    return Mismatch{offset + at + i, std::to_integer<std::uint8_t>(expected[i]),
                    std::to_integer<std::uint8_t>(found[i])};
  }
  return std::nullopt;
}

// Memory of one message: in one piece or scattered over several, with guard bytes behind each
// piece; and what makes it known to the API.
//
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
      pieces_.emplace_back(at, length);
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
    while (attachment_ && !attachment_->detach()) {
      if (std::chrono::steady_clock::now() < end) continue;
      static_cast<void>(attachment_.release());
      static_cast<void>(memory_.release());
    }
    attachment_.reset();
  }

  void fill(const WordSequence& content) {
    std::uint64_t offset = 0;
    for (const MemoryPiece& piece : pieces_) {
      perf::fill(piece, offset, content);
      offset += piece.size();
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

  template <class Where>
  void check(const WordSequence& content, Where where) const {
    std::uint64_t offset = 0;
    for (const MemoryPiece& piece : pieces_) {
      if (const auto wrong = perf::check(piece, offset, content)) {
        fail("verification failed: byte {} of {} {} is 0x{:02x}; expected 0x{:02x}", wrong->offset,
             size_bytes_, where(), wrong->found, wrong->expected);
      }
      offset += piece.size();
      const std::span guard(piece.data() + piece.size(), kGuardBytes);
      if (std::ranges::count(guard, kGuard) != kGuardBytes) {
        fail("verification failed: bytes behind a piece of {} bytes were written", piece.size());
      }
    }
  }

  std::uint64_t size_bytes_;
  std::unique_ptr<std::byte, void (*)(void*)> memory_{nullptr, std::free};
  std::vector<MemoryPiece> pieces_;
  std::unique_ptr<Attachment> attachment_;
};

}  // namespace lintel::perf
