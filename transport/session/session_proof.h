#pragma once
// The proofs of a handshake: what a process computes to show that it has a key, and what its peer
// compares with. doc/wire_format.md, "Proofs", describes the bytes. Pure functions.
//
// A proof covers both introductions up to their proofs, and with them the names, incarnations,
// slots, epochs, nonces, versions and providers. Each kind of proof begins with another word, so
// that none can be used in the place of another, nor be sent back to who made it. Those of welcome
// and confirmation also cover the connection, so that who is connected to both processes cannot
// pass them on. That of the hello does not: it is made before there is a connection.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "transport/contact/hmac.h"
#include "transport/session/frame_format.h"
#include "transport/transport.h"

namespace lintel::transport {

using Nonce = std::array<std::byte, sizeof(Introduction::nonce)>;
// ConnectionBinding::bytes of the connection of a handshake.
using BindingBytes = decltype(ConnectionBinding::bytes);

// One side's part of a handshake.
struct HandshakeHalf {
  std::uint8_t version = 0;  // FrameHeader::version
  Introduction introduction{};
};

// Whether both are of one hello.
bool same_hello(const Introduction& a, const Introduction& b);

// Of the hello, for who has the key already. `to`: the process that the hello goes to.
Digest prove_hello(const Digest& key, ProcessId to, const HandshakeHalf& hello);
// Of the welcome: it answers this hello.
Digest prove_welcome(const Digest& key, const BindingBytes& connection, const HandshakeHalf& hello,
                     const HandshakeHalf& welcome);
// Of the confirmation: its sender has sent this hello and received this welcome.
Digest prove_confirmation(const Digest& key, const BindingBytes& connection,
                          const HandshakeHalf& hello, const HandshakeHalf& welcome);

// What a process contributes to a key of the two: of its part of a handshake.
struct KeyShare {
  ProcessId name;
  std::uint64_t incarnation = 0;
  Nonce nonce{};
  std::uint32_t epoch = 0;
};
// The key that two processes without a job secret have in common after a first contact. The same
// for both sides, whoever began. Who has seen both nonces can compute it.
// Epochs are not part of it.
Digest contact_key(const KeyShare& one, const KeyShare& other);
// The key of one session, for ResumptionKey. `key` is what the two have proved to each other. The
// same for both sides, whoever began.
Digest resumption_key(const Digest& key, const KeyShare& one, const KeyShare& other);

// What the two ends of a session have in common when it opens.
struct SessionKeys {
  Digest contact{};  // of a first contact
  Digest resumption{};
};

// The key of processes that have no other: everybody knows it. What it proves is that its user has
// received the nonces.
inline constexpr Digest kOpenKey{};

}  // namespace lintel::transport
