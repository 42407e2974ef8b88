#include "mpi_layer/impi/authentication.h"

#include <algorithm>
#include <charconv>

namespace lintel::mpi::impi {
namespace {

template <class T>
bool is_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::uint32_t bit_of(Mechanism mechanism) { return 1U << static_cast<std::uint32_t>(mechanism); }

std::optional<Mechanism> mechanism_of(std::string_view word) {
  if (word == "0" || word == "none" || word == "NONE") return Mechanism::kNone;
  if (word == "1" || word == "key" || word == "KEY") return Mechanism::kKey;
  return std::nullopt;
}

}  // namespace

const char* name_of(Mechanism mechanism) { return mechanism == Mechanism::kKey ? "KEY" : "NONE"; }

std::string text_of_mechanisms(std::uint32_t mask) {
  std::string text;
  for (const Mechanism mechanism : {Mechanism::kNone, Mechanism::kKey}) {
    if ((mask & bit_of(mechanism)) == 0) continue;
    if (!text.empty()) text += " or ";
    text += name_of(mechanism);
  }
  return text.empty() ? "nothing" : text;
}

Outcome<std::uint64_t> parse_key(std::string_view text, std::string_view from) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = text.find_last_not_of(kBlanks) + 1;
  const std::string_view digits =
      begin < end ? text.substr(begin, end - begin) : std::string_view();
  std::uint64_t key = 0;
  std::int64_t negative = 0;
  if (is_number(digits, key)) return key;
  if (is_number(digits, negative)) return static_cast<std::uint64_t>(negative);
  return Problem{std::string(from) +
                 " is not usable as a key; expected a decimal number of 64 bits"};
}

Authentication::Authentication(bool allows_none, std::optional<std::uint64_t> key) : key_(key) {
  if (key) order_.push_back(Mechanism::kKey);
  if (allows_none) order_.push_back(Mechanism::kNone);
}

Outcome<Authentication> Authentication::preferring(std::string_view list) const {
  Authentication chosen = *this;
  chosen.order_.clear();
  std::string_view rest = list;
  while (true) {
    const std::size_t end = std::min(rest.find_first_of(",-"), rest.size());
    const auto mechanism = mechanism_of(rest.substr(0, end));
    if (!mechanism || (chosen.mask() & bit_of(*mechanism)) != 0) {
      return Problem{"'" + std::string(list) +
                     "' is not usable; expected 0 (NONE), 1 (KEY), or both in the order of "
                     "preference, such as 1,0"};
    }
    if ((mask() & bit_of(*mechanism)) == 0) {
      return Problem{"'" + std::string(list) + "' names " + name_of(*mechanism) + "; expected " +
                     (*mechanism == Mechanism::kKey ? "a key in IMPI_AUTH_KEY or in a file"
                                                    : "IMPI_AUTH_NONE to be set")};
    }
    chosen.order_.push_back(*mechanism);
    if (end == rest.size()) return chosen;
    rest.remove_prefix(end + 1);
  }
}

std::uint32_t Authentication::mask() const {
  std::uint32_t mask = 0;
  for (const Mechanism mechanism : order_) mask |= bit_of(mechanism);
  return mask;
}

std::optional<Mechanism> Authentication::choose(std::uint32_t mask) const {
  for (const Mechanism mechanism : order_) {
    if ((mask & bit_of(mechanism)) != 0) return mechanism;
  }
  return std::nullopt;
}

Outcome<Authentication> authentication_of(const char* none, const char* key) {
  if (key == nullptr) return Authentication(none != nullptr, std::nullopt);
  Outcome<std::uint64_t> number = parse_key(key, "what IMPI_AUTH_KEY holds");
  if (!number) return number.failure();
  return Authentication(none != nullptr, *number);
}

}  // namespace lintel::mpi::impi
