#pragma once
// CheckedNumber: a signed 64-bit number that records whether a computation left its range. Sizes
// and displacements come from the caller, and products of them may exceed 63 bits. That must be an
// error of the call and not a wrong address later.
//
// A value. A number that is out of range stays so through all further arithmetic.

#include <cstdint>

namespace lintel::mpi {

class CheckedNumber {
 public:
  // NOLINT(google-explicit-constructor): stands for the number
  constexpr CheckedNumber(std::int64_t value) : value_(value) {}

  constexpr bool fits() const { return fits_; }
  // The number. REQUIRES: fits().
  constexpr std::int64_t value() const { return value_; }

  friend constexpr CheckedNumber operator+(CheckedNumber a, CheckedNumber b) {
    return combined(a, b, [](std::int64_t x, std::int64_t y, std::int64_t* z) {
      return __builtin_add_overflow(x, y, z);
    });
  }
  friend constexpr CheckedNumber operator-(CheckedNumber a, CheckedNumber b) {
    return combined(a, b, [](std::int64_t x, std::int64_t y, std::int64_t* z) {
      return __builtin_sub_overflow(x, y, z);
    });
  }
  friend constexpr CheckedNumber operator*(CheckedNumber a, CheckedNumber b) {
    return combined(a, b, [](std::int64_t x, std::int64_t y, std::int64_t* z) {
      return __builtin_mul_overflow(x, y, z);
    });
  }

 private:
  template <class Operation>
  static constexpr CheckedNumber combined(CheckedNumber a, CheckedNumber b, Operation overflows) {
    CheckedNumber result(0);
    result.fits_ = !overflows(a.value_, b.value_, &result.value_) && a.fits_ && b.fits_;
    return result;
  }

  std::int64_t value_;
  bool fits_ = true;
};

}  // namespace lintel::mpi
