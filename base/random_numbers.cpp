#include "base/random_numbers.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "base/assert.h"

namespace lintel {

std::uint64_t RandomNumbers::next() {
  if (left_ == 0) {
    if (seed_ == 0) {
      draw();
    } else {
      repeat();
    }
    left_ = numbers_.size();
  }
  return std::exchange(numbers_[--left_], 0);
}

void RandomNumbers::draw() {
  // At most 256 bytes are given whole, unless a signal comes before the generator is ready.
  static_assert(sizeof numbers_ <= 256);
  ssize_t got = 0;
  do {
    got = ::getrandom(numbers_.data(), sizeof numbers_, 0);
  } while (got < 0 && errno == EINTR);
  LINTEL_ASSERT(got == static_cast<ssize_t>(sizeof numbers_));
}

void RandomNumbers::repeat() {
  std::mt19937_64 repeated(seed_);
  for (std::uint64_t& number : numbers_) number = repeated();
  seed_ = std::max<std::uint64_t>(repeated(), 1);
}

}  // namespace lintel
