#include "base/random_numbers.h"

#include <sys/random.h>

#include <cerrno>
#include <utility>

#include "base/assert.h"

namespace lintel {

std::uint64_t RandomNumbers::next() {
  if (left_ == 0) {
    // At most 256 bytes are given whole, unless a signal comes before the generator is ready.
    static_assert(sizeof numbers_ <= 256);
    ssize_t got = 0;
    do {
      got = ::getrandom(numbers_.data(), sizeof numbers_, 0);
    } while (got < 0 && errno == EINTR);
    LINTEL_ASSERT(got == static_cast<ssize_t>(sizeof numbers_));
    left_ = numbers_.size();
  }
  return std::exchange(numbers_[--left_], 0);
}

}  // namespace lintel
