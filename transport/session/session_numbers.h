#pragma once
// SessionNumbers: draws the epoch and the nonce of each handshake of this process.
//
// Owned by Introductions. Thread: its owner's lock.
// Invariants: (1) no epoch is 0; (2) each draw depends on random bits that nobody else knows, so
// nobody can guess it from earlier ones.
// Does not: remember what it has drawn. Two epochs may be equal, as any two random numbers.

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/contact/hmac.h"
#include "transport/session/session_proof.h"

namespace lintel::transport {

// The epoch must be secret too: on a network that does not tell who has sent a message, it is what
// another process would have to know.
struct DrawnNumbers {
  std::uint32_t epoch = 0;
  Nonce nonce{};
};

class SessionNumbers {
 public:
  // `random`: bits that nobody else knows. The key is computed here, so that the first contact does
  // not pay for the start of the library that computes it.
  SessionNumbers(const std::array<std::byte, 32>& random, std::uint64_t incarnation);

  // Throws std::bad_alloc; the next call then draws other numbers.
  [[gnu::cold]] DrawnNumbers draw();

 private:
  Digest key_;
  std::uint64_t draws_ = 0;
};

}  // namespace lintel::transport
