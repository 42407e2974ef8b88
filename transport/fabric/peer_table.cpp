#include "transport/fabric/peer_table.h"

#include <rdma/fi_errno.h>

#include <algorithm>

namespace lintel::transport {
namespace {

constexpr Nanoseconds kEagerPhase = std::chrono::milliseconds(1);     // a connection on one machine stands within this
constexpr Nanoseconds kRetryInterval = std::chrono::milliseconds(1);  // each vain try costs the provider a connect(2)
constexpr Nanoseconds kForgottenAfter = std::chrono::seconds(1);      // not tried for so long: the owner has given up

}  // namespace

PeerId PeerTable::find(ProcessId name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? kNoPeer : found->second;
}

PeerId PeerTable::add(ProcessId name, fi_addr_t address) {
  const PeerId id(static_cast<std::uint32_t>(peers_.size()));
  FabricPeer& peer = peers_.emplace_back();
  peer.name = name;
  peer.address = address;
  ids_.emplace(name, id);
  return id;
}

void PeerTable::accepted(FabricPeer& peer) {
  peer.reached = true;
  ++peer.in_flight;
  if (peer.waiting) stop_waiting(find(peer.name));
}

void PeerTable::refused(PeerId id, TimePoint now) {
  FabricPeer& peer = at(id);
  if (peer.reached && !(idle_refusal_means_absent_ && peer.in_flight == 0)) return;  // its queue is full: the peer is there
  peer.reached = false;
  if (!peer.waiting) {
    peer.waiting = true;
    peer.waiting_since = kNever;
    waiting_.push_back(id);
  }
  peer.last_try = now;
  const bool eager = peer.waiting_since == kNever || now - peer.waiting_since < kEagerPhase;
  peer.next_try = eager ? now : now + kRetryInterval;
}

void PeerTable::fail(PeerId id, Error error) {
  FabricPeer& peer = at(id);
  if (peer.waiting) stop_waiting(id);
  ++peer.epoch;
  peer.in_flight = 0;
  peer.reached = false;
  if (peer.failed) return;  // one report for several losses in a row
  peer.failed = true;
  peer.failure = error;
  failed_.push_back(id);
}

std::size_t PeerTable::report_failures(TimePoint now, Sink& sink) {
  for (std::size_t i = 0; i < waiting_.size();) {
    const PeerId id = waiting_[i];
    FabricPeer& peer = at(id);
    if (peer.waiting_since == kNever) peer.waiting_since = peer.last_try = now;
    if (now - peer.last_try > kForgottenAfter) {
      stop_waiting(id);
    } else if (now - peer.waiting_since > connect_timeout_) {
      fail(id, {Loss::kPeer, "fi_send", "nobody accepts a connection at the peer's address", FI_ETIMEDOUT});
    } else {
      ++i;
    }
  }
  std::size_t reports = 0;
  while (!failed_.empty()) {
    const PeerId id = failed_.back();
    failed_.pop_back();
    FabricPeer& peer = at(id);
    peer.failed = false;
    sink.on_peer_failed(id, peer.failure);
    ++reports;
  }
  return reports;
}

TimePoint PeerTable::next_try() const {
  TimePoint earliest = kNever;
  for (const PeerId id : waiting_) earliest = std::min(earliest, at(id).next_try);
  return earliest;
}

void PeerTable::stop_waiting(PeerId id) {
  at(id).waiting = false;
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), id));
}

}  // namespace lintel::transport
