#include "transport/direct/resumption_exchange.h"

#include <cstring>

namespace lintel::transport {
namespace {

ResumptionHalf half_of(const ResumptionExchange::Party& party, const ResumptionNonce& nonce,
                       std::uint64_t generation = 0, std::uint64_t received = 0) {
  return {party.name, party.incarnation, generation, party.end, nonce, received};
}

Resumption with_proof(std::uint64_t received, const Digest& proof) {
  Resumption resumption{};
  resumption.received = received;
  std::memcpy(resumption.proof, proof.data(), proof.size());
  return resumption;
}

}  // namespace

Resumption ResumptionExchange::draw(RandomNumbers& random) {
  const std::uint64_t drawn[] = {random.next(), random.next()};
  static_assert(sizeof drawn == sizeof own_nonce_);
  std::memcpy(own_nonce_.data(), drawn, sizeof drawn);
  Resumption resumption{};
  std::memcpy(resumption.nonce, own_nonce_.data(), own_nonce_.size());
  return resumption;
}

void ResumptionExchange::note_nonce_of_peer(const Resumption& resumption) {
  std::memcpy(peer_nonce_.data(), resumption.nonce, peer_nonce_.size());
}

Resumption ResumptionExchange::prove_request(const ResumptionKey& key, const Party& self,
                                             const Party& peer, std::uint64_t generation,
                                             std::uint64_t received) {
  requester_ = half_of(self, own_nonce_, generation, received);
  return with_proof(received,
                    transport::prove_request(key, requester_, half_of(peer, peer_nonce_)));
}

bool ResumptionExchange::is_resumed_by(const ResumptionKey& key, const Party& peer,
                                       std::uint64_t generation, const Resumption& answer) const {
  const ResumptionHalf other = half_of(peer, peer_nonce_, generation, answer.received);
  return equal_in_constant_time(answer.proof, transport::prove_resumed(key, requester_, other));
}

bool ResumptionExchange::is_request_of(const ResumptionKey& key, const Party& self,
                                       const Party& peer, std::uint64_t generation,
                                       const Resumption& proof) {
  requester_ = half_of(peer, peer_nonce_, generation, proof.received);
  return equal_in_constant_time(
      proof.proof, transport::prove_request(key, requester_, half_of(self, own_nonce_)));
}

Resumption ResumptionExchange::prove_resumed(const ResumptionKey& key, const Party& self,
                                             std::uint64_t generation,
                                             std::uint64_t received) const {
  return with_proof(
      received,
      transport::prove_resumed(key, requester_, half_of(self, own_nonce_, generation, received)));
}

}  // namespace lintel::transport
