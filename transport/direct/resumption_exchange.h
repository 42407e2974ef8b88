#pragma once
// ResumptionExchange: what the two sides of a connection prove to each other before it takes the
// place of a lost one. doc/wire_format.md, "Resumption".
//
// The requester sends a nonce, is challenged by one, and proves that it has the key of the session;
// then the other side does. A proof also says what has arrived.
//
// A part of a connection that is being made; guarded by its owner's lock.
// Does not: send, or change the connection that is resumed.

#include <netinet/in.h>

#include <cstdint>

#include "base/random_numbers.h"
#include "transport/direct/resumption_proof.h"

namespace lintel::transport {

class ResumptionExchange {
 public:
  // One of the two, and its end of the connection; zeros if that has ended: no proof holds then.
  struct Party {
    ProcessId name;
    std::uint64_t incarnation = 0;
    sockaddr_in end{};
  };

  // Draws the own nonce. Returns what kResume or kChallenge says.
  Resumption draw(RandomNumbers& random);
  // What the other side has drawn.
  void note_nonce_of_peer(const Resumption& resumption);

  // The requester's side. What kProof says, in the greeting of this generation; `received`: what
  // has arrived here.
  Resumption prove_request(const ResumptionKey& key, const Party& self, const Party& peer,
                           std::uint64_t generation, std::uint64_t received);
  // Whether the kResumed of that generation is of the peer. REQUIRES: prove_request() was called.
  bool is_resumed_by(const ResumptionKey& key, const Party& peer, std::uint64_t generation,
                     const Resumption& answer) const;

  // The other side. Whether the kProof of that generation is of the peer.
  bool is_request_of(const ResumptionKey& key, const Party& self, const Party& peer,
                     std::uint64_t generation, const Resumption& proof);
  // What kResumed says. REQUIRES: is_request_of() was true.
  Resumption prove_resumed(const ResumptionKey& key, const Party& self, std::uint64_t generation,
                           std::uint64_t received) const;

 private:
  ResumptionNonce own_nonce_{};
  ResumptionNonce peer_nonce_{};
  ResumptionHalf requester_;  // this side or the other
};

}  // namespace lintel::transport
