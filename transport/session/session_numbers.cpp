#include "transport/session/session_numbers.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lintel::transport {

SessionNumbers::SessionNumbers(const std::array<std::byte, 32>& random, std::uint64_t incarnation)
    : key_(hmac_sha256(random, {std::as_bytes(std::span(&incarnation, 1))})) {}

DrawnNumbers SessionNumbers::draw() {
  DrawnNumbers numbers;
  Digest drawn;
  while (numbers.epoch == 0) {
    ++draws_;
    drawn = hmac_sha256(key_, {std::as_bytes(std::span(&draws_, 1))});
    std::memcpy(&numbers.epoch, drawn.data(), sizeof numbers.epoch);
  }
  std::copy(drawn.end() - std::ssize(numbers.nonce), drawn.end(), numbers.nonce.begin());
  return numbers;
}

}  // namespace lintel::transport
