// What is received of handshakes: hello, welcome, refusal, confirmation; and the job's secret.
#include "transport/session/session_handshakes.h"

#include <cstring>

#include "transport/session/frame_codec.h"

namespace lintel::transport {

namespace {

constexpr std::uint8_t kFirstVersionWithProofs = 2;

constexpr Error reason_for(RefuseReason reason) {
  const char* text = "";
  switch (reason) {
    case RefuseReason::kVersion:
      text = "the peer speaks an incompatible version of the wire protocol";
      break;
    case RefuseReason::kProvider: text = "the peer uses another libfabric provider"; break;
    case RefuseReason::kSecretMissing:
      text = "the peer has a job secret and this process has none";
      break;
    case RefuseReason::kSecretUnknown:
      text = "the peer has no job secret and this process has one";
      break;
    case RefuseReason::kOtherSecret: text = "the peer has another job secret"; break;
  }
  return Error(Loss::kPeer, "session", text);
}

bool is_reason(std::uint8_t reason) {
  return reason >= static_cast<std::uint8_t>(RefuseReason::kVersion) &&
         reason <= static_cast<std::uint8_t>(RefuseReason::kOtherSecret);
}

template <std::size_t Size>
bool same_bytes(const std::byte (&theirs)[Size], const std::array<std::byte, Size>& ours) {
  return std::memcmp(theirs, ours.data(), Size) == 0;
}

// The hello to which the peer's present numbers belong.
bool is_present_hello(const PeerSession& peer, const Introduction& hello) {
  return hello.incarnation == peer.incarnation && hello.epoch == peer.remote_epoch &&
         hello.slot == peer.remote_slot && same_bytes(hello.nonce, peer.handshake.remote_nonce);
}

}  // namespace

// The peer has proved itself, and whatever proves us to it has been sent.
void SessionHandshakes::opened(PeerSession& peer, const SessionKeys& keys) {
  states_.enter(peer, PeerState::kOpen);
  peer.lost_messages = 0;
  peer.window.open(window_frames_);
  if (peer.handshake.key == 0) peer.contact = {peer.incarnation, keys.contact};
  peer.due = {};
  peer.candidate.reset();
  peer.wanted = false;
  peer.error = Error();
  peer.last_heard = tables_.turn.now();
  tables_.timers.stop(peer);
  tables_.timers.forget_deadline_if_none();  // nobody wakes for the timer of the handshake
  if (peer.awaited()) tables_.timers.start(peer);
  tables_.lower.admit(peer.lower, keys.resumption);
}

void SessionHandshakes::on_hello(PeerId from, const FrameHeader& header,
                                 std::span<const std::byte> body) {
  if (body.size() <
      (header.version < kFirstVersionWithProofs ? kFirstIntroductionBytes : sizeof(Introduction)))
    return void(++tables_.counters.malformed_introduction);
  const HandshakeHalf half{header.version, decode_as_far<Introduction>(body)};
  const Introduction& hello = half.introduction;
  const ProcessId name{NodeId{hello.nid}, Pid{hello.pid}};
  if (!Introductions::is_well_formed(half) || name == tables_.lower.self())
    return void(++tables_.counters.malformed_introduction);
  if (from != kNoPeer && tables_.lower.name_of(from) != name)
    return void(++tables_.counters.malformed_source);
  if (tables_.closing) return void(++tables_.counters.stale_epoch);
  if (tables_.peers.is_full() && tables_.peers.find(name) == kNoPeer)
    return void(++tables_.counters.too_many_peers);
  const Result<PeerId> resolved = states_.peer_named(name);
  if (!resolved) return void(++tables_.counters.malformed_introduction);
  PeerSession& peer = tables_.peers.at(*resolved);

  if (const auto reason = introductions_.objection(half)) return refuse(peer, hello, *reason);
  const std::uint8_t key = introductions_.key_of_hello(peer, half);

  if (peer.state == PeerState::kLost) states_.fail(peer, peer.error);
  const bool again = is_present_hello(peer, hello);
  if (peer.state == PeerState::kOpen && !again) return on_rival_hello(peer, half, key);
  // A peer whose welcome is verified already waits for our confirmation, and for no welcome.
  if (peer.due.confirm) return;
  if (peer.state == PeerState::kOpen || (peer.state == PeerState::kWelcoming && again)) {
    // The peer has not received our welcome yet.
    if (!peer.handshake.welcomes || peer.handshake.connection != connection_of(peer)) {
      peer.handshake.key = key;
      introductions_.prepare_welcome(peer, peer.local_epoch, peer.handshake, connection_of(peer),
                                     half);
    }
    peer.due.welcome = true;
    return tables_.pending.add(peer);
  }
  // Nothing is proved so far. Where the network tells which process has sent the hello, the latest
  // one counts: an earlier one came from the same process, or on a connection that has ended.
  // Elsewhere anybody may have sent any of them, so none takes the place of the first.
  const Candidate* const candidate = peer.candidate.get();
  if (peer.state == PeerState::kWelcoming && from == kNoPeer &&
      (!peer.hello_unanswered ||
       (candidate != nullptr && same_hello(candidate->hello.introduction, hello)))) {
    return on_second_hello(peer, half, key);
  }
  if (peer.state == PeerState::kWelcoming && key == 0 && peer.handshake.key != 0)
    return void(++tables_.counters.unproved);
  // If this side has said hello too, it answers with the epoch and the nonce of that, whichever
  // process the hello is from. The welcome to ours opens the session then, whatever others say.
  const bool keeps_numbers = peer.state == PeerState::kConnecting || peer.hello_unanswered;
  Handshake next = peer.handshake;
  const std::uint32_t epoch = keeps_numbers ? peer.local_epoch : introductions_.begin(peer, next);
  next.key = key;
  introductions_.prepare_welcome(peer, epoch, next, connection_of(peer), half);
  // Nothing below allocates.
  peer.local_epoch = epoch;
  peer.handshake = next;
  const bool is_new = peer.state == PeerState::kClosed;
  if (is_new) tables_.timers.start(peer);
  peer.take_introduction(half);
  if (peer.state != PeerState::kWelcoming) states_.enter(peer, PeerState::kWelcoming);
  if (is_new) note_caller(peer);
  peer.due.hello = false;
  peer.due.welcome = true;
  if (serve(peer)) tables_.pending.add(peer);
}

// The peer that a frame other than a hello is for, or nullptr. It counts only if it comes from this
// peer, where the lower transport knows.
PeerSession* SessionHandshakes::party(PeerId from, const FrameHeader& header) {
  if (header.receiver_slot >= tables_.peers.size()) {
    ++tables_.counters.malformed_slot;
    return nullptr;
  }
  PeerSession& peer = tables_.peers.at(PeerId(header.receiver_slot));
  if (from != kNoPeer && from != peer.lower) {
    ++tables_.counters.malformed_source;
    return nullptr;
  }
  return &peer;
}

void SessionHandshakes::on_welcome(PeerId from, const FrameHeader& header,
                                   std::span<const std::byte> body) {
  if (body.size() < sizeof(Introduction)) return void(++tables_.counters.malformed_introduction);
  PeerSession* const found = party(from, header);
  if (found == nullptr) return;
  PeerSession& peer = *found;
  const HandshakeHalf half{header.version, decode<Introduction>(body.data())};
  const Introduction& welcome = half.introduction;
  if (!Introductions::is_well_formed(half) ||
      peer.name != ProcessId{NodeId{welcome.nid}, Pid{welcome.pid}}) {
    return void(++tables_.counters.malformed_introduction);
  }
  const bool is_open = peer.state == PeerState::kOpen && welcome.epoch == peer.remote_epoch;
  const bool begins = peer.state == PeerState::kConnecting || peer.state == PeerState::kWelcoming;
  if (peer.local_epoch == 0 || header.receiver_epoch != peer.local_epoch ||
      welcome.echoed_epoch != peer.local_epoch || !(is_open || begins))
    return void(++tables_.counters.stale_epoch);

  const BindingBytes connection = connection_of(peer);
  if (!introductions_.proves(peer, connection, half)) return void(++tables_.counters.unproved);
  if (begins && !Introductions::is_compatible(half))
    return states_.give_up(peer, reason_for(RefuseReason::kVersion));
  if (begins && !introductions_.has_same_provider(welcome.provider))
    return states_.give_up(peer, reason_for(RefuseReason::kProvider));

  if (is_open && peer.hello_unanswered) {
    peer.hello_unanswered = false;  // both sides sent a hello; the peer's opened the session
    return;
  }
  peer.handshake.confirmation = introductions_.confirm(peer, connection, half);
  peer.handshake.connection = connection;
  peer.due.confirm = true;
  if (is_open) return tables_.pending.add(peer);  // the peer has not received our confirmation yet
  peer.take_introduction(half);
  peer.handshake.key = Introductions::key_of_welcome(welcome);
  peer.handshake.welcomes = false;
  std::memcpy(peer.handshake.remote_nonce.data(), welcome.nonce, sizeof welcome.nonce);
  peer.hello_unanswered = false;
  if (peer.state == PeerState::kConnecting) states_.enter(peer, PeerState::kWelcoming);
  if (serve(peer)) tables_.pending.add(peer);
}

void SessionHandshakes::on_confirm(PeerId from, const FrameHeader& header,
                                   std::span<const std::byte> body) {
  if (body.size() != sizeof(ConfirmBody)) return void(++tables_.counters.malformed_length);
  PeerSession* const found = party(from, header);
  if (found == nullptr) return;
  PeerSession& peer = *found;
  const auto confirmation = decode<ConfirmBody>(body.data());
  const Candidate* const candidate = answered_candidate(peer);
  if (candidate != nullptr && header.receiver_epoch == candidate->local_epoch) {
    if (candidate->handshake.connection != connection_of(peer) ||
        !equal_in_constant_time(confirmation.proof, candidate->handshake.expected))
      return void(++tables_.counters.unproved);
    return on_candidate_proved(peer);
  }
  const bool expected = (peer.state == PeerState::kWelcoming || peer.state == PeerState::kOpen) &&
                        peer.handshake.welcomes && header.receiver_epoch == peer.local_epoch;
  if (!expected) return void(++tables_.counters.stale_epoch);
  if (peer.handshake.connection != connection_of(peer) ||
      !equal_in_constant_time(confirmation.proof, peer.handshake.expected))
    return void(++tables_.counters.unproved);
  // In an open session it is a repetition.
  if (peer.state == PeerState::kWelcoming && !peer.due.confirm)
    opened(peer, introductions_.make_keys(peer));
}

void SessionHandshakes::on_refuse(PeerId from, const FrameHeader& header,
                                  std::span<const std::byte> body) {
  const bool has_nonce = header.version >= kFirstVersionWithProofs;
  if (body.size() < (has_nonce ? sizeof(RefuseBody) : kFirstRefuseBytes))
    return void(++tables_.counters.malformed_introduction);
  PeerSession* const found = party(from, header);
  if (found == nullptr) return;
  PeerSession& peer = *found;
  const auto refusal = decode_as_far<RefuseBody>(body);
  const bool terminated = std::memchr(refusal.provider, 0, sizeof refusal.provider) != nullptr;
  if (!terminated || !is_reason(refusal.reason))
    return void(++tables_.counters.malformed_introduction);
  // A process that has not received our hello does not know its nonce.
  if (peer.state != PeerState::kConnecting || header.receiver_epoch != peer.local_epoch ||
      refusal.echoed_epoch != peer.local_epoch ||
      (has_nonce && !same_bytes(refusal.echoed_nonce, peer.handshake.nonce))) {
    return void(++tables_.counters.stale_epoch);
  }
  peer.not_reached = Error();
  peer.newest_version = header.version;
  peer.oldest_version = refusal.oldest_version;
  std::memcpy(peer.provider, refusal.provider, sizeof peer.provider);
  const Error reason = reason_for(static_cast<RefuseReason>(refusal.reason));
  // A process that has connected in the name of the peer may have said it. The next hello goes on a
  // connection that this process makes.
  if (tables_.lower.binding(peer.lower).made_by_peer) return connect_again(peer, reason);
  states_.give_up(peer, reason);
}

void SessionHandshakes::on_job_key() {
  for (const auto& owned : tables_.peers.records()) {
    PeerSession& peer = *owned;
    peer.contact = {};
    if (peer.state == PeerState::kOpen) {
      states_.try_goodbye(peer);
      if (peer.state == PeerState::kOpen)
        states_.lose_outside_poll(
            peer, Error(Loss::kPeer, "session", "the session was opened without the job's secret"));
    } else if (peer.state == PeerState::kConnecting || peer.state == PeerState::kWelcoming) {
      const bool wanted = peer.wanted;
      drop_handshake(peer);  // with the connection: the peer may have opened the session
      if (wanted) connect(peer);
    }
  }
}

}  // namespace lintel::transport
