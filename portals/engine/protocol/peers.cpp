#include "portals/engine/protocol/peers.h"

#include "base/assert.h"
#include "base/log.h"

namespace lintel::portals {

Result<transport::PeerId> Peers::look_up(ProcessId process) {
  const Result<transport::PeerId> peer = transport_.resolve(process);
  if (peer) {
    last_resolved_ = process;
    last_ = *peer;
  }
  return peer;
}

void Peers::watch(ProcessId process, bool watched) {
  const Result<transport::PeerId> peer = resolve(process);
  LINTEL_ASSERT(peer.ok());
  transport_.watch(*peer, watched);
}

Status Peers::add_waiter(Waiter& waiter, ProcessId process) {
  const Result<transport::PeerId> peer = resolve(process);
  if (!peer) return Status::kProcessInvalid;
  waiter.peer = *peer;
  transport_.watch(*peer, true);
  waiters_.push_back(waiter);
  return Status::kOk;
}

void Peers::remove_waiter(Waiter& waiter) {
  transport_.watch(waiter.peer, false);
  waiters_.erase(waiters_.iterator_to(waiter));
}

void Peers::log_loss(transport::PeerId peer, bool ends_operations) {
  if (peer.value >= loss_logged_.size()) loss_logged_.resize(std::size_t{peer.value} + 1);
  const bool is_logged = loss_logged_[peer.value];
  const bool news = transport_.lost_messages(peer) > 0 || (ends_operations && !is_logged);
  const LogLevel level = news ? LogLevel::kWarn : LogLevel::kInfo;
  if (log_enabled(level)) write_log(level, "peer %s", transport_.describe(peer).c_str());
  if (!news || is_logged) return;
  loss_logged_[peer.value] = true;
  ++losses_logged_;
}

void Peers::clear_loss(transport::PeerId peer) {
  if (peer.value >= loss_logged_.size() || !loss_logged_[peer.value]) return;
  loss_logged_[peer.value] = false;
  --losses_logged_;
}

}  // namespace lintel::portals
