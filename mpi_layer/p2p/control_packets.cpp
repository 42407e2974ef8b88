#include "mpi_layer/p2p/control_packets.h"

namespace lintel::mpi {

namespace {

// Not CANCEL, of which this process sends one for each of its own sends.
bool is_limited(const Control& control) { return control.kind != PacketKind::kCancel; }

}  // namespace

void ControlPackets::send(Peer& peer, const Control& control) {
  if (peer.lost || peer.controls.given_up) return;
  if (peer.controls.blocked || !try_send(peer, control)) wait(peer, control);
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

void ControlPackets::wait(Peer& peer, const Control& control) {
  ControlRecord& record = peer.controls;
  if (!record.blocked) {
    blocked_.push_back(&peer);
    record.blocked = true;
    record.most_pulls = record.pulls;
  }
  if (is_limited(control) && record.limited >= most_waiting(peer)) {
    record.given_up = true;
    const std::size_t unread = record.limited;
    drop(peer);
    return engine_.give_up(peer.process, unread);
  }
  record.waiting.push_back(control);
  if (is_limited(control)) ++record.limited;
  deferred_work_.add();
}

void ControlPackets::drop(Peer& peer) {
  peer.controls.waiting = {};
  peer.controls.limited = 0;
}

void ControlPackets::retry() {
  std::erase_if(blocked_, [this](Peer* peer) LINTEL_REQUIRES(kLock) {
    ControlRecord& record = peer->controls;
    if (peer->lost) drop(*peer);
    std::size_t sent = 0;
    while (sent < record.waiting.size() && try_send(*peer, record.waiting[sent])) {
      if (is_limited(record.waiting[sent])) --record.limited;
      ++sent;
    }
    record.waiting.erase(record.waiting.begin(),
                         record.waiting.begin() + static_cast<std::ptrdiff_t>(sent));
    record.blocked = !record.waiting.empty();
    if (!record.blocked) record.waiting = {};
    return !record.blocked;
  });
}

}  // namespace lintel::mpi
