#include "region.h"

#include <algorithm>
#include <cstdlib>

#include "contents.h"

namespace lintel::perf {
namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xA5};
constexpr std::size_t kPage = 4096;

// Calls `fill(bytes of the piece, place of the first in the message)` for all pieces.
template <class Fill>
void fill_each(std::span<const Piece> pieces, Fill fill) {
  std::uint64_t offset = 0;
  for (const Piece& piece : pieces) {
    fill(std::span(piece.start, piece.length), offset);
    offset += piece.length;
  }
}

// The first mismatch that `check` finds in a piece.
template <class Check>
std::optional<Mismatch> first_wrong(std::span<const Piece> pieces, Check check) {
  std::optional<Mismatch> first;
  fill_each(pieces, [&](std::span<const std::byte> piece, std::uint64_t offset) {
    if (!first) first = check(piece, offset);
  });
  return first;
}

}  // namespace

void Region::Free::operator()(std::byte* memory) const { std::free(memory); }

Region::Region(std::uint64_t size_bytes, std::size_t pieces) : size_bytes_(size_bytes) {
  const std::uint64_t total = (size_bytes + pieces * kGuardBytes + kPage - 1) / kPage * kPage;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, total)));
  if (!memory_) fail("not enough memory for a message of {} bytes", size_bytes);
  std::byte* at = memory_.get();
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t length = (size_bytes - done) / (pieces - i);
    pieces_.push_back({at, length});
    std::fill_n(at + length, kGuardBytes, kGuard);
    at += length + kGuardBytes;
    done += length;
  }
}

void Region::detach(std::chrono::steady_clock::time_point end) {
  if (!attachment_) return;
  bool detached = attachment_->detach();
  while (!detached && std::chrono::steady_clock::now() < end) detached = attachment_->detach();
  if (!detached) {
    static_cast<void>(attachment_.release());
    static_cast<void>(memory_.release());
  }
  attachment_.reset();
}

void Region::fill(std::uint64_t id) {
  fill_each(pieces_, [&](auto piece, auto offset) { fill_pattern(piece, id, offset); });
}

void Region::poison(std::uint64_t id) {
  fill_each(pieces_, [&](auto piece, auto offset) { fill_poison(piece, id, offset); });
}

void Region::check(std::uint64_t id) const {
  const auto wrong = first_wrong(
      pieces_, [&](auto piece, auto offset) { return check_pattern(piece, id, offset); });
  if (wrong) {
    fail(
        "verification failed: byte {} of {} in message {} of pass {} is 0x{:02x}; expected "
        "0x{:02x}",
        wrong->offset, size_bytes_, id & 0xffffffffffff, (id >> 48) & 0x7fff, wrong->found,
        wrong->expected);
  }
  check_guards();
}

void Region::fill_operands() {
  fill_each(pieces_, [](auto piece, auto offset) { perf::fill_operands(piece, offset); });
}

void Region::fill_sums(std::uint64_t times) {
  fill_each(pieces_, [&](auto piece, auto offset) { perf::fill_sums(piece, times, offset); });
}

void Region::check_sums(std::uint64_t times) const {
  const auto wrong = first_wrong(
      pieces_, [&](auto piece, auto offset) { return perf::check_sums(piece, times, offset); });
  if (wrong) {
    fail("verification failed: byte {} of {} after {} sums is 0x{:02x}; expected 0x{:02x}",
         wrong->offset, size_bytes_, times, wrong->found, wrong->expected);
  }
  check_guards();
}

void Region::check_guards() const {
  for (const Piece& piece : pieces_) {
    const std::byte* guard = piece.start + piece.length;
    if (std::any_of(guard, guard + kGuardBytes, [](std::byte b) { return b != kGuard; })) {
      fail("verification failed: bytes behind a piece of {} bytes were written", piece.length);
    }
  }
}

}  // namespace lintel::perf
