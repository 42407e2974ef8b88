// SessionHandshakes: sends hello, welcome, confirmation and refusal.

#include <array>
#include <cstring>

#include "base/log.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session_handshakes.h"

namespace lintel::transport {

namespace {

// Bounded, so that another process cannot fill the log. The counter has all of them.
constexpr std::uint64_t kLoggedRefusals = 16;

// What is wrong with the job secret of a peer; nullptr: nothing.
const char* wrong_secret(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::kSecretMissing: return "it has no job secret and this process has one";
    case RefuseReason::kSecretUnknown: return "it has a job secret and this process has none";
    case RefuseReason::kOtherSecret: return "it has another job secret";
    default: return nullptr;
  }
}

template <class Body>
std::array<std::byte, sizeof(Body)> encoded(const Body& body) {
  std::array<std::byte, sizeof(Body)> bytes;
  encode(bytes.data(), body);
  return bytes;
}

}  // namespace

void SessionHandshakes::want(PeerSession& peer) {
  if (peer.state == PeerState::kClosed && !tables_.closing) connect(peer);
  if (peer.state == PeerState::kWelcoming && !peer.wanted) connect_too(peer);
}

void SessionHandshakes::connect(PeerSession& peer) {
  tables_.lower.reach(peer.lower);  // what follows is computed while the connection is made
  peer.local_epoch = introductions_.begin(peer, peer.handshake);  // first: it may find no memory
  states_.enter(peer, PeerState::kConnecting);
  peer.lost_messages = 0;  // those of the last session, which the owner knows
  peer.wanted = true;
  tables_.timers.start_contact(peer);
  peer.due.hello = true;
  if (serve(peer)) tables_.pending.add(peer);
}

// The owner wants to send to a peer under whose name a process has made contact, which may not be
// the peer. This process says hello too, with the whole time for an answer.
void SessionHandshakes::connect_too(PeerSession& peer) {
  peer.wanted = true;
  tables_.callers.remove(peer);
  if (peer.due.confirm) return;
  tables_.timers.start_contact(peer);
  // A process that has shown a key is likely to confirm; if it does not, the timer says hello.
  if (peer.handshake.key != 0) return;
  peer.due.hello = true;
  if (serve(peer)) tables_.pending.add(peer);
}

// False: the lower transport has no room.
bool SessionHandshakes::send_hello(PeerSession& peer) {
  // Each poll() comes here while the connection is made, and the proof is not computed for nothing.
  if (!tables_.lower.reach(peer.lower)) {
    tables_.pending.await_room();
    return false;
  }
  const Introduction hello = introductions_.make_hello(peer);
  const FrameHeader header{0, 0, static_cast<std::uint8_t>(FrameKind::kHello), 0, 0, 0, 0, 0};
  const PostStatus status = frames_.send(peer, header, encoded(hello));
  if (status == PostStatus::kWouldBlock) return false;
  peer.due.hello = false;
  // If the connection was refused, the timer tries again.
  if (status == PostStatus::kFailed) return true;
  peer.hello_unanswered = true;
  ++tables_.counters.hellos;
  return true;
}

// What became of a frame of the handshake. False: the lower transport has no room, or the peer is
// lost.
bool SessionHandshakes::was_sent(PeerSession& peer, PostStatus status) {
  if (status == PostStatus::kFailed)
    lose_handshake(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
  return status == PostStatus::kOk;
}

// Answers the hello that was accepted last. Returns as was_sent().
bool SessionHandshakes::send_welcome(PeerSession& peer) {
  const Introduction welcome =
      introductions_.make_welcome(peer, peer.local_epoch, peer.handshake, peer.remote_epoch);
  if (!was_sent(peer, frames_.send_numbered(peer, FrameKind::kWelcome, encoded(welcome))))
    return false;
  peer.due.welcome = false;
  // The peer's session begins with the confirmation that it sends. If that is lost with the
  // connection, it comes on the next one.
  if (peer.state == PeerState::kWelcoming)
    tables_.lower.allow_resumption(peer.lower, introductions_.make_keys(peer).resumption);
  return true;
}

// Returns as was_sent().
bool SessionHandshakes::send_confirmation(PeerSession& peer) {
  ConfirmBody body;
  std::memcpy(body.proof, peer.handshake.confirmation.data(), sizeof body.proof);
  if (!was_sent(peer, frames_.send_numbered(peer, FrameKind::kConfirm, encoded(body))))
    return false;
  peer.due.confirm = false;
  return true;
}

// Both answers count on the connection only on which the other side has been heard: another process
// may make the next one.
bool SessionHandshakes::serve(PeerSession& peer) {
  if ((peer.due.confirm || peer.due.welcome) && peer.handshake.connection != connection_of(peer)) {
    lose_handshake(peer, Error(Loss::kPeer, "session", "the connection of the contact is lost"));
  } else if (peer.due.confirm) {
    // Before it is sent, because this may find no memory.
    const SessionKeys keys = introductions_.make_keys(peer);
    if (send_confirmation(peer)) opened(peer, keys);
  } else if ((!peer.due.welcome || send_welcome(peer)) &&
             (!peer.due.candidate || send_candidate_welcome(peer))) {
    // After the welcomes: they have other numbers, and their receiver takes the latest.
    if (peer.due.hello) send_hello(peer);
  }
  return (peer.state == PeerState::kConnecting || peer.state == PeerState::kWelcoming) &&
         peer.due.any();
}

void SessionHandshakes::answer_again(PeerSession& peer) {
  if (peer.due.confirm) send_confirmation(peer);
  if (peer.due.welcome && peer.state == PeerState::kOpen) send_welcome(peer);
  if (peer.due.candidate && peer.state == PeerState::kOpen) send_candidate_welcome(peer);
}

void SessionHandshakes::refuse(PeerSession& peer, const Introduction& hello, RefuseReason reason) {
  ++tables_.counters.refused;
  if (const char* const wrong = wrong_secret(reason)) {
    if (++tables_.counters.refused_secret <= kLoggedRefusals)
      LINTEL_LOG(kWarn, "refused the process %u.%u.%u.%u pid %u: %s", hello.nid >> 24,
                 hello.nid >> 16 & 0xff, hello.nid >> 8 & 0xff, hello.nid & 0xff, hello.pid, wrong);
  }
  const RefuseBody refusal = introductions_.make_refusal(hello, reason);
  const FrameHeader header{
      0, 0, static_cast<std::uint8_t>(FrameKind::kRefuse), hello.slot, hello.epoch, 0, 0, 0};
  // If there is no room, nothing is sent; the peer repeats its hello.
  frames_.send(peer, header, encoded(refusal));
}

}  // namespace lintel::transport
