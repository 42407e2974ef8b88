#include "region.h"

#include <algorithm>
#include <cstdlib>

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

void Region::fill(const Content& content) {
  std::uint64_t offset = 0;
  for (const Piece& piece : pieces_) {
    perf::fill({piece.start, piece.length}, offset, content);
    offset += piece.length;
  }
}

std::optional<Mismatch> Region::first_wrong(const Content& content) const {
  std::uint64_t offset = 0;
  for (const Piece& piece : pieces_) {
    const auto wrong = perf::check({piece.start, piece.length}, offset, content);
    if (wrong) return wrong;
    offset += piece.length;
  }
  return std::nullopt;
}

void Region::check(std::uint64_t id) const {
  if (const auto wrong = first_wrong(pattern(id))) {
    fail(
        "verification failed: byte {} of {} in message {} of pass {} is 0x{:02x}; expected "
        "0x{:02x}",
        wrong->offset, size_bytes_, id & 0xffffffffffff, (id >> 48) & 0x7fff, wrong->found,
        wrong->expected);
  }
  check_guards();
}

void Region::check_sums(std::uint64_t times) const {
  if (const auto wrong = first_wrong(sums(times))) {
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
