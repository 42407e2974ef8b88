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
  // Ends the process if the kernel has no random numbers: no secret can be made then.
  std::uint64_t next();

 private:
  std::array<std::uint64_t, 32> numbers_{};
  std::size_t left_ = 0;
};

}  // namespace lintel
