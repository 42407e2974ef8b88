// SessionHandshakes: a process that says it is the peer, beside an open session or beside another
// process that says so. The session continues until that is proved, or its peer is found dead.

#include <memory>
#include <utility>

#include "transport/session/frame_codec.h"
#include "transport/session/session_handshakes.h"

namespace lintel::transport {

// `key`: the one that proves the hello; 0: none does. A hello with a proof is answered. It may be
// an old one that another process repeats, so it is the confirmation that replaces the session. A
// hello without a proof stays for the case that the session ends now; its sender repeats it in any
// case.
void SessionHandshakes::on_rival_hello(PeerSession& peer, const HandshakeHalf& hello,
                                       std::uint8_t key) {
  if (key == 0) {
    liveness_.contest(peer);
    if (answered_candidate(peer) == nullptr) note_candidate(peer, hello, key);
    return;
  }
  note_candidate(peer, hello, key);
  answer_candidate(peer);
}

// A second hello has come during a contact, and the network does not tell which process has sent
// either. Both are answered, each with numbers of its own; the process that confirms is the peer. A
// third hello replaces the second, unless only the second has a proof.
void SessionHandshakes::on_second_hello(PeerSession& peer, const HandshakeHalf& hello,
                                        std::uint8_t key) {
  const Candidate* const second = answered_candidate(peer);
  if (key == 0 && second != nullptr && second->handshake.key != 0)
    return void(++tables_.counters.unproved);
  note_candidate(peer, hello, key);
  answer_candidate(peer);
}

void SessionHandshakes::note_candidate(PeerSession& peer, const HandshakeHalf& hello,
                                       std::uint8_t key) {
  const Candidate* const known = peer.candidate.get();
  if (known != nullptr && same_hello(known->hello.introduction, hello.introduction)) return;
  auto next = std::make_unique<Candidate>();
  next->hello = hello;
  next->local_epoch = introductions_.begin(peer, next->handshake);
  next->handshake.key = key;
  introductions_.prepare_welcome(peer, next->local_epoch, next->handshake, connection_of(peer),
                                 hello);
  peer.candidate = std::move(next);
}

void SessionHandshakes::answer_candidate(PeerSession& peer) {
  peer.candidate->answered = true;
  peer.candidate->deadline = tables_.turn.now() + connect_deadline_;
  peer.due.candidate = true;
  tables_.pending.add(peer);
}

// Forgets the candidate if it was answered and its time is over.
void SessionHandshakes::expire_candidate(PeerSession& peer) {
  if (peer.candidate == nullptr || tables_.turn.now() < peer.candidate->deadline) return;
  peer.candidate.reset();
  peer.due.candidate = false;
}

// The candidate whose confirmation counts, or nullptr.
const Candidate* SessionHandshakes::answered_candidate(PeerSession& peer) {
  expire_candidate(peer);
  const Candidate* const candidate = peer.candidate.get();
  return candidate != nullptr && candidate->answered ? candidate : nullptr;
}

// Its confirmation has come.
void SessionHandshakes::on_candidate_proved(PeerSession& peer) {
  const Candidate& proved = *peer.candidate;
  const Introduction& hello = proved.hello.introduction;
  const bool restarted = hello.incarnation != peer.incarnation;
  const Error error =
      restarted ? Error(Loss::kPeer, "session", "the peer was restarted")
                : Error(Loss::kPeer, "session", "the peer ended the session and began another");
  // A process that ends its session ends the connection too. What is still to be sent on this one
  // belongs to operations that end now, with their memory. The peer begins again on another.
  if (peer.state == PeerState::kOpen && is_on_own_connection(proved))
    return states_.give_up(peer, error);
  // First, because this may find no memory.
  const SessionKeys keys = introductions_.make_keys(peer, hello.incarnation, hello.epoch,
                                                    proved.local_epoch, proved.handshake);
  if (peer.state == PeerState::kWelcoming) {
    if (peer.due.confirm) return;  // the peer has proved itself already, by its welcome
    take_candidate(peer);
    return opened(peer, keys);
  }
  replace_session(peer, &keys, error);
}

// The candidate has come on the connection of the open session: a network that tells its
// connections apart has one with a peer at a time, and reports the loss of an earlier one first.
bool SessionHandshakes::is_on_own_connection(const Candidate& candidate) const {
  return tables_.lower.attributes().knows_source &&
         candidate.handshake.connection != BindingBytes{};
}

// Returns as was_sent().
bool SessionHandshakes::send_candidate_welcome(PeerSession& peer) {
  const Candidate& candidate = *peer.candidate;
  if (candidate.handshake.connection != connection_of(peer)) {
    peer.due.candidate = false;
    peer.candidate.reset();
    return true;
  }
  const Introduction& hello = candidate.hello.introduction;
  std::byte body[sizeof(Introduction)];
  encode(body, introductions_.make_welcome(peer, candidate.local_epoch, candidate.handshake,
                                           hello.epoch));
  const FrameHeader header{
      0, 0, static_cast<std::uint8_t>(FrameKind::kWelcome), hello.slot, hello.epoch, 0, 0, 0};
  if (!was_sent(peer, frames_.send(peer, header, body))) return false;
  peer.due.candidate = false;
  return true;
}

// The session has ended because of `error`; the candidate's takes its place before the owner is
// told, so that what the owner sends then goes to the new one. `proved`: by its confirmation, so
// the new session has these keys; nullptr: that is still to come.
void SessionHandshakes::replace_session(PeerSession& peer, const SessionKeys* proved, Error error) {
  take_candidate(peer);
  const std::uint64_t lost = peer.lost_messages;
  if (proved != nullptr) {
    opened(peer, *proved);
    peer.lost_messages = lost;  // for the owner, until it has been told
  } else {
    welcome_again(peer);
  }
  peer.error = error;  // for describe()
  ++tables_.counters.peer_failures;
  tables_.turn.report().on_peer_failed(peer.id, error);
  if (peer.state == PeerState::kOpen) peer.error = {};
  // Not set to 0: what the owner has done may have ended the new session too.
  if (proved != nullptr) peer.lost_messages -= lost;
}

bool SessionHandshakes::replace_lost(PeerSession& peer, Error error) {
  expire_candidate(peer);
  if (peer.candidate == nullptr || peer.candidate->handshake.connection != connection_of(peer))
    return false;
  replace_session(peer, nullptr, error);
  return true;
}

// The contact of the candidate takes the place of the session or the contact under way.
void SessionHandshakes::take_candidate(PeerSession& peer) {
  const std::unique_ptr<Candidate> next = std::move(peer.candidate);
  states_.end_session(peer);
  peer.take_introduction(next->hello);
  peer.local_epoch = next->local_epoch;
  peer.handshake = next->handshake;
  states_.enter(peer, PeerState::kWelcoming);
}

// The candidate has become the peer of the contact. An earlier welcome to it may be lost.
void SessionHandshakes::welcome_again(PeerSession& peer) {
  note_caller(peer);
  tables_.timers.start(peer);
  peer.due.welcome = true;
  tables_.pending.add(peer);
}

}  // namespace lintel::transport
