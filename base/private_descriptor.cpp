#include "base/private_descriptor.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lintel {
namespace {

constexpr int kBits = 64;

// One bit for each number of a descriptor. The pages of numbers that were never used cost nothing.
constinit std::array<std::atomic<std::uint64_t>, kMostPrivateDescriptors / kBits> table{};
constinit std::atomic<std::size_t> words_used{0};

bool is_in_table(int fd) { return fd >= 0 && fd < kMostPrivateDescriptors; }
std::uint64_t bit_of(int fd) { return std::uint64_t{1} << (fd % kBits); }

void enter(int fd) {
  if (!is_in_table(fd)) return;
  const std::size_t word = static_cast<std::size_t>(fd) / kBits;
  table[word].fetch_or(bit_of(fd));
  std::size_t used = words_used.load();
  while (used <= word && !words_used.compare_exchange_weak(used, word + 1)) {
  }
}

// Before the descriptor is closed: after that, its number may be that of another file.
void leave(int fd) {
  if (is_in_table(fd)) table[static_cast<std::size_t>(fd) / kBits].fetch_and(~bit_of(fd));
}

}  // namespace

PrivateDescriptor::PrivateDescriptor(FileDescriptor fd) : fd_(std::move(fd)) { enter(fd_.get()); }

void PrivateDescriptor::close() {
  leave(fd_.get());
  fd_.close();
}

void close_private_descriptors() {
  const std::size_t words = words_used.load();
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t left = table[word].exchange(0); left != 0; left &= left - 1)
      ::close(static_cast<int>(word) * kBits + std::countr_zero(left));
  }
}

}  // namespace lintel
