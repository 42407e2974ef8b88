#pragma once
// Handshake, Candidate, ContactKey: what a process stores about handshakes with one peer. Plain
// values. Introductions fills in the proofs and the keys.

#include <cstdint>

#include "base/clock.h"
#include "transport/contact/hmac.h"
#include "transport/session/frame_format.h"
#include "transport/session/session_proof.h"

namespace lintel::transport {

// The proofs of one handshake.
struct Handshake {
  Nonce nonce{};               // ours, of our epoch
  Nonce remote_nonce{};        // from the peer's hello or welcome
  Digest welcome{};            // the proof of our welcome
  Digest expected{};           // the proof that the confirmation of our welcome must have
  bool welcomes = false;       // these two are set: the peer's hello was accepted
  Digest confirmation{};       // the proof of our confirmation
  BindingBytes connection{};   // on which the proofs hold
  std::uint8_t key = 0;        // kProvedBySecret, kProvedByContact or 0: which key the proofs use
  std::uint8_t hello_key = 0;  // likewise of our hello
};

// The hello of a process that says it is the peer, beside an open session or another contact. It
// has changed nothing yet.
struct Candidate {
  HandshakeHalf hello;
  bool answered = false;        // a welcome was sent, or is due: its confirmation opens a session
  TimePoint deadline = kNever;  // answered: the confirmation counts until then
  std::uint32_t local_epoch = 0;
  Handshake handshake;
};

// What this process and one incarnation of the peer have in common since their first contact, if
// there is no job secret.
struct ContactKey {
  std::uint64_t incarnation = 0;  // of the peer; 0: they have nothing in common
  Digest key{};
  bool exists() const { return incarnation != 0; }
};

}  // namespace lintel::transport
