#pragma once
// RandomNumbers: numbers that nobody else can guess, from the kernel's generator.
//
// Thread: none of its own; the owner's lock guards it. Asks the kernel once for many numbers, so a
// number costs no system call of its own. Numbers that were given out are not kept.

#include <array>
#include <cstddef>
#include <cstdint>

namespace lintel {

class RandomNumbers {
 public:
  // Of the kernel; `seed` other than 0, for tests: numbers that are the same for the same seed, and
  // that anybody can guess.
  explicit RandomNumbers(std::uint64_t seed = 0) : seed_(seed) {}

  // Ends the process if the kernel has no random numbers: no secret can be made then.
  std::uint64_t next();

 private:
  void draw();
  void repeat();

  std::array<std::uint64_t, 32> numbers_{};
  std::size_t left_ = 0;
  std::uint64_t seed_;
};

}  // namespace lintel
