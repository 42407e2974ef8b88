#include "region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "failure.h"

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

ptl_md_t Region::descriptor(ptl_handle_eq_t eq, unsigned options) const {
  const bool scattered = pieces_.size() > 1;
  ptl_md_t md{};
  md.start = scattered ? static_cast<void*>(pieces_.data()) : pieces_[0].iov_base;
  md.length = scattered ? pieces_.size() : size_bytes_;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = options | (scattered ? PTL_MD_IOVEC : 0U);
  md.eq_handle = eq;
  return md;
}

std::span<std::byte> Region::piece(std::size_t index) const {
  return {static_cast<std::byte*>(pieces_[index].iov_base), pieces_[index].iov_len};
}

void Region::fill(std::uint64_t id) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < pieces_.size(); offset += pieces_[i].iov_len, ++i) fill_pattern(piece(i), id, offset);
}

void Region::poison(std::uint64_t id) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < pieces_.size(); offset += pieces_[i].iov_len, ++i) fill_poison(piece(i), id, offset);
}

void Region::check(std::uint64_t id) const {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < pieces_.size(); offset += pieces_[i].iov_len, ++i) {
    const auto wrong = check_pattern(piece(i), id, offset);
    if (!wrong) continue;
    throw Failure(ExitCode::kFailed,
                  fmt::format("verification failed: byte {} of {} in message {} of pass {} is 0x{:02x}; expected 0x{:02x}", wrong->offset,
                              size_bytes_, id & 0xffffffffffff, (id >> 48) & 0x7fff, wrong->found, wrong->expected));
  }
  check_guards();
}

void Region::check_guards() const {
  for (const ptl_md_iovec_t& entry : pieces_) {
    const std::byte* guard = static_cast<const std::byte*>(entry.iov_base) + entry.iov_len;
    if (std::any_of(guard, guard + kGuardBytes, [](std::byte b) { return b != kGuard; })) {
      throw Failure(ExitCode::kFailed, fmt::format("verification failed: bytes behind a piece of {} bytes were written", entry.iov_len));
    }
  }
}

}  // namespace lintel::perf
