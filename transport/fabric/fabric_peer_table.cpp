#include "transport/fabric/fabric_peer_table.h"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {
PeerId FabricPeerTable::find(ProcessId name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? kNoPeer : found->second;
}

PeerId FabricPeerTable::add(ProcessId name, fi_addr_t address) {
  const PeerId id = reusable_.next([this] {
    const std::size_t peers = peers_.size() + 1;
    attempts_.reserve(peers);
    if (failed_.capacity() < peers) failed_.reserve(2 * peers);
    peers_.emplace_back();
  });
  ids_.emplace(name, id);
  reusable_.take();
  FabricPeer& peer = at(id);
  peer.name = name;
  peer.address = address;
  peer.attempt.peer = id;
  if (address != FI_ADDR_NOTAVAIL) {
    peer.address_used_before = address < first_new_address_;
    first_new_address_ = std::max(first_new_address_, address + 1);
  }
  return id;
}

void FabricPeerTable::remove(PeerId id) {
  FabricPeer& peer = at(id);
  LINTEL_ASSERT(!peer.in_use());
  ids_.erase(peer.name);
  const std::uint32_t epoch = peer.epoch + 1;
  peer = FabricPeer();
  peer.epoch = epoch;
  reusable_.give_back(id);
}

void FabricPeerTable::drop_unwanted(PeerId id, const OfiAddressVector* addresses) {
  FabricPeer& peer = at(id);
  if (peer.in_use()) return;
  if (peer.address != FI_ADDR_NOTAVAIL &&
      (addresses == nullptr || fi_av_remove(addresses->raw(), &peer.address, 1, 0) != 0))
    return;
  remove(id);
}

void FabricPeerTable::accepted(FabricPeer& peer) {
  peer.reached = true;
  ++peer.in_flight;
  if (peer.attempt.waiting) attempts_.end(peer.attempt);
}

void FabricPeerTable::refused(PeerId id, TimePoint now) {
  FabricPeer& peer = at(id);
  // Its queue is full, so the peer exists.
  if (peer.reached && !(idle_refusal_means_absent_ && peer.in_flight == 0)) return;
  peer.reached = false;
  attempts_.begin(peer.attempt, now);
  attempts_.refused(peer.attempt, now);
}

void FabricPeerTable::end_epoch(FabricPeer& peer) {
  attempts_.end(peer.attempt);
  ++peer.epoch;
  peer.in_flight = 0;
  peer.reached = false;
}

void FabricPeerTable::disconnect(PeerId id) {
  FabricPeer& peer = at(id);
  end_epoch(peer);
  if (std::exchange(peer.failed, false)) std::erase(failed_, id);
}

void FabricPeerTable::fail(PeerId id, Error error) {
  FabricPeer& peer = at(id);
  end_epoch(peer);
  if (peer.failed) return;  // one report for several losses
  peer.failed = true;
  peer.failure = error;
  failed_.push_back(id);
}

std::size_t FabricPeerTable::report_failures(TimePoint now, Sink& sink) {
  attempts_.expire(now, [this](PeerId id, ConnectAttempts::Expiry end) {
    if (end != ConnectAttempts::Expiry::kTimedOut) return;
    fail(id, {Loss::kPeer, "fi_send", "nobody accepts a connection at the peer's address",
              FI_ETIMEDOUT});
  });
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

}  // namespace lintel::transport
