// Session: who says that he is the peer of an open session. The session goes on until he has proved
// it, or until it is found dead.

#include <cstring>
#include <utility>

#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

namespace {

bool same_hello(const Introduction& a, const Introduction& b) {
  return a.incarnation == b.incarnation && a.slot == b.slot && a.epoch == b.epoch &&
         std::memcmp(a.nonce, b.nonce, sizeof a.nonce) == 0;
}

}  // namespace

// `key`: the one that proves the hello; 0: none does. A hello with a proof is answered. It may be
// an old one that somebody repeats, so it is the confirmation that replaces the session. A hello
// without a proof stays for the case that the session ends now; its sender repeats it in any case.
void Session::on_rival_hello(PeerSession& peer, std::uint8_t version, const Introduction& hello,
                             std::uint8_t key) {
  std::unique_ptr<Candidate>& candidate = peer.candidate;
  if (key == 0) {
    contest(peer, 1);  // so that the newcomer has not given up when a dead peer's session ends
    if (candidate != nullptr && candidate->answered) return;
  }
  if (candidate == nullptr || !same_hello(candidate->introduction, hello)) {
    candidate = std::make_unique<Candidate>();
    candidate->version = version;
    candidate->introduction = hello;
    candidate->local_epoch = begin_epoch(peer, candidate->handshake);
    candidate->handshake.key = key;
    prepare_welcome(peer, candidate->local_epoch, candidate->handshake, version, hello);
  }
  if (key == 0) return;
  candidate->answered = true;
  peer.due.candidate = true;
  need_attention(peer);
}

// Asks the peer for an answer at once. `quarters` of the deadline count as over already.
void Session::contest(PeerSession& peer, std::uint8_t quarters) {
  if (peer.contested) return;
  ++counters_.contested;
  if (!peer.awaited()) {
    start_timer(peer);
    peer.silent_quarters = quarters;
  }
  peer.contested = true;
  peer.due.ping = true;
  need_attention(peer);
}

// False: the lower transport has no room, or the peer is lost.
bool Session::send_candidate_welcome(PeerSession& peer) {
  const Candidate& candidate = *peer.candidate;
  if (candidate.handshake.connection != connection_of(peer)) {
    peer.due.candidate = false;
    peer.candidate.reset();
    return true;
  }
  const Introduction& hello = candidate.introduction;
  std::byte body[sizeof(Introduction)];
  encode(body, make_welcome(peer, candidate.local_epoch, candidate.handshake, hello.epoch));
  const FrameHeader header{
      0, 0, static_cast<std::uint8_t>(FrameKind::kWelcome), hello.slot, hello.epoch, 0, 0, 0};
  const PostStatus status = send_alone(peer.lower, header, body);
  if (status == PostStatus::kFailed)
    lose_outside_poll(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
  if (status != PostStatus::kOk) return false;
  peer.due.candidate = false;
  frame_is_leaving(peer, 0);
  return true;
}

// The session has ended because of `error`; the candidate's takes its place before the owner is
// told, so that what the owner sends then goes to the new one. `proved`: by its confirmation; if
// not, that is still to come.
void Session::replace_session(PeerSession& peer, bool proved, Error error) {
  const std::unique_ptr<Candidate> next = std::move(peer.candidate);
  end_session(peer);
  enter(peer, PeerState::kClosed);
  store_introduction(peer, next->version, next->introduction);
  peer.local_epoch = next->local_epoch;
  peer.handshake = next->handshake;
  enter(peer, PeerState::kWelcoming);
  if (proved) {
    opened(peer);
  } else {
    start_timer(peer);
    peer.due.welcome = true;  // an earlier one may have gone with the connection
    need_attention(peer);
  }
  ++counters_.peer_failures;
  ++reports_;
  sink_->on_peer_failed(peer.id, error);
}

}  // namespace lintel::transport
