// Session: ends sessions that nobody uses and whose peers are gone without a goodbye. Some networks
// do not tell of a death, and none tells that a machine is gone if nothing is sent to it. Sessions
// that were opened with the job's secret are left alone: the job has so many processes and no more,
// and one that is stopped in a debugger is not lost while nothing is wanted of it.
//
// Any other open session is on one of three lists: `young_`, if its peer was never asked; `asked_`,
// if it has been asked whether it lives and was not heard since; `proven_`, if it has answered. All
// of one list wait equally long for the next look at them, so the first one is due first, and a
// turn costs the same however many there are. Frames that come and go change nothing here: a look
// finds when the peer was last heard.

#include <algorithm>
#include <initializer_list>

#include "transport/session/session.h"

namespace lintel::transport {

namespace {

// Of one poll, so that its time has a bound.
constexpr std::size_t kMostLooks = 64;
// So many at a time, so that pings of peers that are gone do not fill the network's queues.
constexpr std::size_t kMostAsked = 256;
// A peer that has answered is looked at again after so many dead-peer deadlines.
constexpr int kProvenDeadlines = 16;

}  // namespace

void Session::note_open(PeerSession& peer) {
  if (peer.handshake.key == kProvedBySecret) return;
  ++open_count_;
  peer.idle_quarters = 0;
  peer.looked_at = now_;
  young_.push_back(peer);
  next_look_ = std::min(next_look_, now_ + options_.dead_peer_deadline);
}

void Session::no_longer_open(PeerSession& peer) {
  if (!peer.unused_hook.is_linked()) return;
  peer.unused_hook.unlink();
  --open_count_;
  if (peer.idle_quarters > 0) --asked_count_;
}

Nanoseconds Session::wait_of(const UnusedList& list) const {
  if (&list == &asked_) return ping_interval();
  return &list == &young_ ? options_.dead_peer_deadline
                          : kProvenDeadlines * options_.dead_peer_deadline;
}

void Session::look_at_idle_sessions() {
  // Those that were asked come first: their answers make room to ask others.
  std::size_t looks = kMostLooks;
  for (UnusedList* const list : {&asked_, &young_, &proven_}) {
    while (looks > 0 && !list->empty() && open_count_ > options_.max_idle_sessions &&
           now_ - list->front().looked_at >= wait_of(*list)) {
      PeerSession& peer = list->front();
      if (list != &asked_ && asked_count_ >= kMostAsked) break;
      --looks;
      look_at(peer, *list);
    }
  }
  next_look_ = kNever;
  for (const UnusedList* const list : {&asked_, &young_, &proven_}) {
    if (list->empty() || (list != &asked_ && asked_count_ >= kMostAsked)) continue;
    next_look_ = std::min(next_look_, list->front().looked_at + wait_of(*list));
  }
}

void Session::look_at(PeerSession& peer, UnusedList& list) {
  const TimePoint before = peer.looked_at;
  peer.looked_at = now_;
  peer.unused_hook.unlink();
  if (&list == &asked_ && peer.last_heard >= before) {
    --asked_count_;
    peer.idle_quarters = 0;
    return proven_.push_back(peer);
  }
  // Asked by its timer already, or used in the second half of the wait.
  if (&list != &asked_ && (peer.awaited() || now_ - peer.last_heard < wait_of(list) / 2))
    return list.push_back(peer);
  asked_.push_back(peer);
  if (peer.idle_quarters == 0) ++asked_count_;
  // Looks are counted and time is not compared, as in on_timer().
  if (++peer.idle_quarters > kQuarters) {
    return give_up(peer, Error(Loss::kPeer, "session",
                               "the idle peer has not answered within the dead-peer deadline"));
  }
  const unsigned quarters = peer.idle_quarters - 1U;  // since the first question
  replace_silent_connection(peer, quarters);
  // The last question may not have left. Then it goes on the next connection, if there is one.
  if (quarters > 0 && peer.leaving() > 0) return;
  peer.due.ping = true;
  need_attention(peer);
}

}  // namespace lintel::transport
