#pragma once
// PeerSession: what a Session knows about one peer. Owned by the Session, which alone changes it;
// no logic here but arithmetic on its own numbers. Stays where it is while the Session lives.

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "transport/session/frame_format.h"
#include "transport/transport.h"

namespace lintel::transport {

// Session::enter() holds the legal changes.
enum class PeerState : std::uint8_t {
  kClosed,      // no session. reserve() starts one; a hello of the peer too. Entered at first use
                // of the name and when a session has ended.
  kConnecting,  // our hello is on its way or due; waits for a welcome, a hello or the connect
                // deadline. reserve() would block.
  kWelcoming,   // took the peer's hello, our welcome waits for room in the lower transport.
                // reserve() would block.
  kOpen,        // messages flow.
  kLost,        // ended outside poll(); on_peer_failed comes in the next. commit() and post_write()
                // fail, reserve() would block.
  kLocal,       // this process itself; for ever.
};

using PeerHook =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

struct PeerSession {
  // Control frames that wait to be sent, in the order of sending.
  struct Due {
    bool hello : 1 = false;
    bool welcome : 1 = false;
    bool ping : 1 = false;
    bool ack : 1 = false;
    bool any() const { return hello || welcome || ping || ack; }
  };

  // Data path.
  PeerState state = PeerState::kClosed;
  Due due;
  bool early_ping = false;           // asked for an ack before its time, for window or close; until
                                     // the next progress
  bool hello_unanswered = false;     // opened by the peer's hello while ours was out: that one may
                                     // still be refused
  std::uint8_t silent_quarters = 0;  // of the dead-peer deadline that passed without an answer
  PeerId id;                         // index in the session
  PeerId lower;                      // index in the lower transport
  MessageBuffer frame;               // open frame, lent by the lower transport
  std::uint32_t frame_bytes = 0;     // filled, header included
  std::uint32_t frame_messages = 0;
  std::uint32_t sent = 0;          // sequence of the last kData frame sent
  std::uint32_t acknowledged = 0;  // up to here the peer has them
  std::uint32_t received = 0;      // sequence of the last kData frame taken
  std::uint32_t unconfirmed = 0;   // frames taken since the peer was last told
  std::uint32_t remote_slot = 0;
  std::uint32_t remote_epoch = 0;
  std::uint32_t local_epoch = 0;  // 0: no session

  // Frames handed to the lower transport and not reported as left. The reports do not say which
  // frame, so messages are reported in two generations: those of `first` when all its frames have
  // left; frames that start meanwhile gather in `next`.
  struct Leaving {
    std::uint32_t frames = 0;
    std::uint32_t messages = 0;
  };
  Leaving first;
  Leaving next;
  std::uint32_t foreign_leaving = 0;  // frames of an ended session that have not left either

  // Liveness.
  std::uint32_t watchers = 0;
  TimePoint timer = kNever;             // when this peer needs attention; valid while linked in the
                                        // timed list
  TimePoint connect_deadline = kNever;  // kConnecting
  TimePoint last_heard{};
  Nanoseconds back_off{};
  PeerHook timed_hook;    // Session::timed_ or Session::unstamped_
  PeerHook pending_hook;  // Session::pending_

  // Who it is.
  ProcessId name;
  std::uint64_t incarnation = 0;    // of the current or last session; 0: never met
  Error error;                      // why the last session ended
  std::uint8_t newest_version = 0;  // as its last introduction or refusal said
  std::uint8_t oldest_version = 0;
  char provider[sizeof(Introduction::provider)] = {};

  std::uint32_t unacknowledged() const { return sent - acknowledged; }
  std::uint32_t leaving() const { return first.frames + next.frames; }
  // Somebody waits for an answer of this peer.
  bool awaited() const { return sent != acknowledged || watchers > 0; }
};
static_assert(sizeof(PeerSession) <= 384, "an idle peer is to stay far below 1 KiB");

template <PeerHook PeerSession::*Hook>
using PeerList =
    boost::intrusive::list<PeerSession, boost::intrusive::member_hook<PeerSession, PeerHook, Hook>,
                           boost::intrusive::constant_time_size<false>>;
using TimedList = PeerList<&PeerSession::timed_hook>;
using PendingList = PeerList<&PeerSession::pending_hook>;

}  // namespace lintel::transport
