#include "transport/session/peer_timers.h"

namespace lintel::transport {

namespace {

constexpr Nanoseconds kFirstBackOff = std::chrono::milliseconds(2);
constexpr Nanoseconds kLongestBackOff = std::chrono::milliseconds(200);

}  // namespace

void PeerTimers::stamp(TimePoint now) {
  while (!unstamped_.empty()) {
    PeerSession& peer = unstamped_.front();
    unstamped_.pop_front();
    if (peer.state == PeerState::kOpen) {
      peer.timer = now + ping_interval_;
    } else {
      peer.connect_deadline = now + connect_deadline_;
      peer.timer = now + hello_interval_;
    }
    add(peer);
  }
}

void PeerTimers::retry_soon(PeerSession& peer, TimePoint now) {
  stamp(now);
  peer.back_off = std::max(peer.back_off, kFirstBackOff);
  peer.timer = std::min(peer.connect_deadline, now + peer.back_off);
  peer.back_off = std::min(2 * peer.back_off, kLongestBackOff);
  if (!peer.timed_hook.is_linked()) timed_.push_back(peer);
  earliest_ = std::min(earliest_, peer.timer);
}

void PeerTimers::repeat(PeerSession& peer, TimePoint now) {
  peer.timer = peer.state == PeerState::kOpen
                   ? now + ping_interval_
                   : std::min(peer.connect_deadline, now + hello_interval_);
  add(peer);
}

}  // namespace lintel::transport
