#pragma once
// NumberArray: an array argument of the program, of int in the plain functions and of 64-bit
// numbers in the ..._c functions.

#include <cstdint>

namespace lintel::mpi {

class NumberArray {
 public:
  NumberArray() = default;
  // NOLINT(google-explicit-constructor): stands for the array
  NumberArray(const int* numbers) : narrow_(numbers) {}
  // NOLINT(google-explicit-constructor)
  NumberArray(const std::int64_t* numbers) : wide_(numbers) {}

  bool is_null() const { return narrow_ == nullptr && wide_ == nullptr; }
  // REQUIRES: !is_null(), and the array has that element.
  std::int64_t operator[](int index) const {
    return narrow_ != nullptr ? narrow_[index] : wide_[index];
  }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

}  // namespace lintel::mpi
