#pragma once
// Authentication: which mechanisms of IMPI this side can use, which it prefers, and the key of
// mechanism KEY.
//
// The key is a password of 64 bits that is sent in plain. It keeps jobs apart and prevents
// accidents. It does not stop an attacker who can listen. No message that is made here contains it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi::impi {

enum class Mechanism : std::uint32_t { kNone = 0, kKey = 1 };

// "NONE" or "KEY".
const char* name_of(Mechanism mechanism);

// The names of the mechanisms of a mask: "NONE or KEY". "nothing" if none of them belongs to IMPI
// 0.0.
std::string text_of_mechanisms(std::uint32_t mask);

// A decimal number of 64 bits, with or without blanks or a newline around it. A negative number is
// taken as two's complement. `from` names its source in the error message.
Outcome<std::uint64_t> parse_key(std::string_view text, std::string_view from);

class Authentication {
 public:
  // KEY, if there is a key, is preferred to NONE. With neither, no client can be accepted.
  Authentication(bool allows_none, std::optional<std::uint64_t> key);

  // The same with the mechanisms of `list`, in that order: numbers or names separated by a comma or
  // a "-", such as "1,0" or "key-none". Fails if a mechanism is unknown, is listed twice, or cannot
  // be used by this side.
  Outcome<Authentication> preferring(std::string_view list) const;

  bool is_empty() const { return order_.empty(); }
  // Bit i: mechanism i.
  std::uint32_t mask() const;
  // The mechanism of `mask` that this side prefers, if there is any.
  std::optional<Mechanism> choose(std::uint32_t mask) const;

  // REQUIRES: KEY is among the mechanisms.
  std::uint64_t key() const { return key_.value(); }
  // Takes the same time whether the key is right or wrong.
  bool is_key(std::uint64_t key) const { return key_.has_value() && (key ^ *key_) == 0; }

 private:
  std::vector<Mechanism> order_;
  std::optional<std::uint64_t> key_;
};

// What the values of IMPI_AUTH_NONE and IMPI_AUTH_KEY allow, which may be nothing. Null: the
// variable is not set. Fails if the key is not a number.
Outcome<Authentication> authentication_of(const char* none, const char* key);

}  // namespace lintel::mpi::impi
