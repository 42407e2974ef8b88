#pragma once
// Authentication: which mechanisms of IMPI this side can use, which it prefers, and the key of one
// of them.
//
// The key is a password of 64 bits that travels as it is: it keeps jobs apart and accidents out,
// not an attacker who can listen. No sentence made here has it.

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

// The names of the mechanisms of a mask, "NONE or KEY"; "nothing" when it has none that IMPI 0.0
// knows.
std::string text_of_mechanisms(std::uint32_t mask);

// A decimal number of 64 bits, with blanks or a newline around it or without; below 0 as two's
// complement. `from` names where it stands, for the sentence.
Outcome<std::uint64_t> parse_key(std::string_view text, std::string_view from);

class Authentication {
 public:
  // KEY, when there is one, is preferred to NONE. Neither: nobody can be let in.
  Authentication(bool allows_none, std::optional<std::uint64_t> key);

  // The same in the order, and with the mechanisms, of `list`: their numbers or names with a comma
  // or a "-" between them, "1,0" or "key-none". Fails when one of them is none, comes twice, or is
  // not one that this side can use.
  Outcome<Authentication> preferring(std::string_view list) const;

  bool is_empty() const { return order_.empty(); }
  // Bit i: mechanism i.
  std::uint32_t mask() const;
  // The one of `mask` that this side prefers, if there is any.
  std::optional<Mechanism> choose(std::uint32_t mask) const;

  // REQUIRES: KEY is among the mechanisms.
  std::uint64_t key() const { return key_.value(); }
  // In a time that does not tell how much of it is right.
  bool is_key(std::uint64_t key) const { return key_.has_value() && (key ^ *key_) == 0; }

 private:
  std::vector<Mechanism> order_;
  std::optional<std::uint64_t> key_;
};

// What the variables IMPI_AUTH_NONE and IMPI_AUTH_KEY, null when they are not there, allow, which
// may be nothing. Fails for a key that is none.
Outcome<Authentication> authentication_of(const char* none, const char* key);

}  // namespace lintel::mpi::impi
