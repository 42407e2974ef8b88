#pragma once
// IMPI bytes as its documents write them: hexadecimal digits, with blanks only for reading:
// "41555448 00000004".

#include <string>
#include <string_view>

namespace lintel::mpi::impi::testing {

inline std::string bytes_of(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  int high = -1;
  for (const char c : digits) {
    if (c == ' ') continue;
    if (high < 0) {
      high = value(c);
      continue;
    }
    bytes += static_cast<char>(high << 4 | value(c));
    high = -1;
  }
  return bytes;
}

// The same without blanks.
inline std::string digits_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    digits += kDigits[static_cast<unsigned char>(c) >> 4];
    digits += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return digits;
}

// Normalises a text, so that texts compare equal when only blanks differ.
inline std::string wire(std::string_view digits) { return digits_of(bytes_of(digits)); }

}  // namespace lintel::mpi::impi::testing
