#pragma once
// PeerSession: what a Session knows about one peer. The Session owns it; the Session and its parts
// alone change it. It has no logic except arithmetic on its own numbers. It does not move while it
// exists. It has more than 30 members because each part of the Session keeps a few here, so that an
// idle peer is one record.

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "transport/session/frame_format.h"
#include "transport/session/handshake.h"
#include "transport/session/leaving_frames.h"
#include "transport/session/open_frame.h"
#include "transport/session/received_frames.h"
#include "transport/session/send_window.h"
#include "transport/transport.h"

namespace lintel::transport {

// Another process has asked for the connection of an open session, without a proof.
enum class Contest : std::uint8_t {
  kNone,        // none has, or the peer has answered since
  kAsked,       // the peer was asked, and its timer runs
  kUnanswered,  // it has not answered in time, and keeps its session: the secret has proved it
};

// SessionStates::enter() checks the changes of state.
enum class PeerState : std::uint8_t {
  // No session: before the first one, or after one ended. reserve() or a hello of the peer starts
  // one.
  kClosed,
  // Our hello was sent or is due; waits for a welcome, a hello or the connect deadline. reserve()
  // would block.
  kConnecting,
  // Accepted the peer's hello and waits for the proof that it is the peer, or has this proof and
  // waits for room in the lower transport for our confirmation. reserve() would block.
  kWelcoming,
  kOpen,  // the peer has proved itself: messages can be sent and are delivered.
  // Ended outside poll(); the next poll() calls on_peer_failed. commit() and post_write() fail,
  // reserve() would block.
  kLost,
  kLocal,  // this process itself; never changes.
};

// A peer is asked whether it is alive in each quarter of the dead-peer deadline. The quarters are
// counted and time is not compared: if this process was stopped for a while, it asks its peers
// again before it gives them up.
inline constexpr std::uint8_t kDeadlineQuarters = 4;

using PeerHook =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

struct PeerSession {
  // Control frames that wait to be sent, in the order of sending.
  struct Due {
    bool hello : 1 = false;
    bool welcome : 1 = false;
    bool ping : 1 = false;
    bool ack : 1 = false;
    bool confirm : 1 = false;
    bool candidate : 1 = false;  // the welcome of the candidate
    bool any() const { return hello || welcome || ping || ack || confirm || candidate; }
  };

  // Data path.
  PeerState state = PeerState::kClosed;
  Due due;
  // A ping was sent early, for a full window or for close(); until the next progress.
  bool early_ping = false;
  // Our hello has left, and was neither answered nor refused. A hello of the peer may have opened
  // the session meanwhile.
  bool hello_unanswered = false;
  Contest contest = Contest::kNone;
  // reserve() was called since the last session ended: the owner waits for this one.
  bool wanted = false;
  // Transport::awaited_arrivals() counts the frames that `window` awaits.
  bool arrival_awaited = false;
  // Quarters of the dead-peer deadline that have passed without an answer.
  std::uint8_t silent_quarters = 0;  // before the session is open: turns of its timer
  PeerId id;                         // index in the session
  PeerId lower;                      // index in the lower transport
  OpenFrame frame;
  SendWindow window;
  ReceivedFrames received;
  std::uint32_t remote_slot = 0;
  std::uint32_t remote_epoch = 0;
  std::uint32_t local_epoch = 0;  // 0: no session
  std::uint32_t watchers = 0;     // calls of watch(true) that watch(false) has not undone
  // Messages of the last session that it had accepted and that were not acknowledged before it
  // ended: sent ones, and those in the open frame.
  std::uint64_t lost_messages = 0;

  LeavingFrames leaving;

  // Liveness.
  // kOpen: quarters of the dead-peer deadline since it was asked whether it lives although nothing
  // was awaited, and was not heard; 0: it was not asked.
  std::uint8_t idle_quarters = 0;
  TimePoint looked_at{};     // likewise: when it was put at the end of its list of idle sessions
  TimePoint timer = kNever;  // when on_timer() is due; valid while linked in the timed list
  TimePoint connect_deadline = kNever;  // kConnecting, kWelcoming
  TimePoint last_heard{};
  Nanoseconds back_off{};
  PeerHook timed_hook;    // PeerTimers
  PeerHook pending_hook;  // PendingPeers
  PeerHook unused_hook;   // PeerSessions, UnprovedCallers or IdleSessions

  // Identity.
  ProcessId name;
  std::uint64_t incarnation = 0;    // of the current or last session; 0: there was none
  Error error;                      // why the last session ended
  Error not_reached;                // why the last kConnecting came to nothing so far
  std::uint8_t newest_version = 0;  // from its last hello, welcome or refuse
  std::uint8_t oldest_version = 0;
  char provider[sizeof(Introduction::provider)] = {};

  // Proofs.
  Handshake handshake;
  ContactKey contact;
  std::unique_ptr<Candidate> candidate;  // kOpen, kWelcoming

  // What the peer says of itself counts from now on.
  void take_introduction(const HandshakeHalf& half) {
    incarnation = half.introduction.incarnation;
    remote_slot = half.introduction.slot;
    remote_epoch = half.introduction.epoch;
    newest_version = half.version;
    oldest_version = half.introduction.oldest_version;
    std::memcpy(provider, half.introduction.provider, sizeof provider);
  }
  // Nothing refers to it except its name.
  bool can_be_forgotten() const {
    return state == PeerState::kClosed && watchers == 0 && !pending_hook.is_linked() &&
           !timed_hook.is_linked() && leaving.count() == 0 && !leaving.has_stale() &&
           !frame.is_open();
  }
  // Its timer runs.
  bool is_timed() const {
    return state == PeerState::kConnecting || state == PeerState::kWelcoming ||
           (state == PeerState::kOpen && awaited());
  }
  // The owner awaits an answer of this peer: an acknowledgement, or one for a watcher.
  bool owner_waits() const { return window.unacknowledged() != 0 || watchers > 0; }
  // The owner awaits one, or the session does.
  bool awaited() const { return owner_waits() || contest == Contest::kAsked; }
  // The job's secret has proved who the peer is. Others say so without a proof.
  bool is_proved_by_secret() const { return handshake.key == kProvedBySecret; }
};
static_assert(sizeof(PeerSession) <= 512, "an idle peer is to stay far below 1 KiB");

template <PeerHook PeerSession::*Hook>
using PeerList =
    boost::intrusive::list<PeerSession, boost::intrusive::member_hook<PeerSession, PeerHook, Hook>,
                           boost::intrusive::constant_time_size<false>>;
using TimedList = PeerList<&PeerSession::timed_hook>;
using PendingList = PeerList<&PeerSession::pending_hook>;
using UnusedList = PeerList<&PeerSession::unused_hook>;

}  // namespace lintel::transport
