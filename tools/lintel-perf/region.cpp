#include "region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "failure.h"
#include "sums.h"

namespace lintel::perf {
namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xA5};
constexpr std::size_t kPage = 4096;

}  // namespace

void Region::Free::operator()(std::byte* memory) const { std::free(memory); }

Region::Region(std::uint64_t size_bytes, std::size_t pieces) : size_bytes_(size_bytes) {
  const std::uint64_t total = (size_bytes + pieces * kGuardBytes + kPage - 1) / kPage * kPage;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, total)));
  if (!memory_) throw Failure(ExitCode::kFailed, fmt::format("not enough memory for a message of {} bytes", size_bytes));
  std::byte* at = memory_.get();
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t left_pieces = pieces - i;
    const std::uint64_t length = (size_bytes - done) / left_pieces;
    pieces_.push_back({at, length});
    std::fill_n(at + length, kGuardBytes, kGuard);
    at += length + kGuardBytes;
    done += length;
  }
}

namespace {

// Calls `each(bytes of the piece, place of the first in the message)` for all pieces, or until it returns something.
template <class Each>
auto each_piece(std::span<const Piece> pieces, Each each) {
  std::uint64_t offset = 0;
  for (const Piece& piece : pieces) {
    if constexpr (std::is_void_v<decltype(each(std::span<std::byte>(), offset))>) {
      each(std::span(piece.start, piece.length), offset);
    } else if (const auto found = each(std::span(piece.start, piece.length), offset)) {
      return found;
    }
    offset += piece.length;
  }
  return decltype(each(std::span<std::byte>(), offset))();
}

}  // namespace

void Region::fill(std::uint64_t id) {
  each_piece(pieces_, [&](std::span<std::byte> piece, std::uint64_t offset) { fill_pattern(piece, id, offset); });
}

void Region::poison(std::uint64_t id) {
  each_piece(pieces_, [&](std::span<std::byte> piece, std::uint64_t offset) { fill_poison(piece, id, offset); });
}

void Region::check(std::uint64_t id) const {
  const auto wrong =
      each_piece(pieces_, [&](std::span<const std::byte> piece, std::uint64_t offset) { return check_pattern(piece, id, offset); });
  if (wrong) {
    throw Failure(ExitCode::kFailed,
                  fmt::format("verification failed: byte {} of {} in message {} of pass {} is 0x{:02x}; expected 0x{:02x}", wrong->offset,
                              size_bytes_, id & 0xffffffffffff, (id >> 48) & 0x7fff, wrong->found, wrong->expected));
  }
  check_guards();
}

void Region::fill_operands() {
  each_piece(pieces_, [](std::span<std::byte> piece, std::uint64_t offset) { perf::fill_operands(piece, offset); });
}

void Region::fill_sums(std::uint64_t times) {
  each_piece(pieces_, [&](std::span<std::byte> piece, std::uint64_t offset) { perf::fill_sums(piece, times, offset); });
}

void Region::check_sums(std::uint64_t times) const {
  const auto wrong =
      each_piece(pieces_, [&](std::span<const std::byte> piece, std::uint64_t offset) { return perf::check_sums(piece, times, offset); });
  if (wrong) {
    throw Failure(ExitCode::kFailed, fmt::format("verification failed: byte {} of {} after {} sums is 0x{:02x}; expected 0x{:02x}",
                                                 wrong->offset, size_bytes_, times, wrong->found, wrong->expected));
  }
  check_guards();
}

void Region::check_guards() const {
  for (const Piece& piece : pieces_) {
    const std::byte* guard = piece.start + piece.length;
    if (std::any_of(guard, guard + kGuardBytes, [](std::byte b) { return b != kGuard; })) {
      throw Failure(ExitCode::kFailed, fmt::format("verification failed: bytes behind a piece of {} bytes were written", piece.length));
    }
  }
}

}  // namespace lintel::perf
