#include "mpi_layer/p2p/control_packets.h"

namespace lintel::mpi {

void ControlPackets::send(Peer& peer, const Control& control) {
  if (peer.lost || (waiting_.empty() && try_send(peer, control))) return;
  waiting_.emplace_back(&peer, control);
  deferred_work_.add();
}

void ControlPackets::send_credit(Peer& peer, const Credit& credit) {
  const bool accepts = peer.placement.policy.enabled();
  send(peer, {PacketKind::kProtoack, 0, 0, 0, credit.headers, credit.bytes, accepts});
}

// False: the engine has no room.
bool ControlPackets::try_send(const Peer& peer, const Control& control) {
  const EncodedControl encoded = encode(control);
  portals::RequestArguments put = engine_.request_to(peer.process, kControlPortal);
  put.match_bits = encoded.match_bits;
  put.header_data = encoded.header_data;
  return engine_.put(put) == portals::Status::kOk;
}

void ControlPackets::retry() {
  while (!waiting_.empty()) {
    const auto& [peer, control] = waiting_.front();
    if (!peer->lost && !try_send(*peer, control)) return;
    waiting_.pop_front();
  }
}

}  // namespace lintel::mpi
