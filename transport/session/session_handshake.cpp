// Session: hello, welcome, refuse.

#include <algorithm>
#include <cstring>

#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

namespace {

constexpr Nanoseconds kFirstBackOff = std::chrono::milliseconds(2);

constexpr Error kIncompatibleVersion(
    Loss::kPeer, "session", "the peer speaks an incompatible version of the wire protocol");
constexpr Error kOtherProvider(Loss::kPeer, "session", "the peer uses another libfabric provider");

bool well_formed(const FrameHeader& header, const Introduction& introduction) {
  return introduction.incarnation != 0 && introduction.epoch != 0 &&
         introduction.oldest_version <= header.version &&
         std::memchr(introduction.provider, 0, sizeof introduction.provider) != nullptr;
}

// "net 117.0" -> "net": peers may have different versions of a provider, not different providers.
std::size_t name_length(const char* provider) { return std::strcspn(provider, " "); }

}  // namespace

bool Session::compatible(const FrameHeader& header, const Introduction& introduction) const {
  return header.version >= kOldestFrameVersion && introduction.oldest_version <= kFrameVersion;
}

bool Session::same_provider(const char (&theirs)[sizeof(Introduction::provider)]) const {
  const std::size_t length = name_length(provider_);
  return name_length(theirs) == length && std::memcmp(provider_, theirs, length) == 0;
}

void Session::begin_epoch(PeerSession& peer) {
  if (next_epoch_ == 0) ++next_epoch_;
  peer.local_epoch = next_epoch_++;
}

Introduction Session::make_introduction(const PeerSession& peer, std::uint32_t echoed_epoch) const {
  Introduction introduction{};
  introduction.nid = self().nid.value;
  introduction.pid = self().pid.value;
  introduction.incarnation = options_.incarnation;
  introduction.slot = peer.id.value;
  introduction.epoch = peer.local_epoch;
  introduction.echoed_epoch = echoed_epoch;
  introduction.oldest_version = kOldestFrameVersion;
  std::memcpy(introduction.provider, provider_, sizeof provider_);
  return introduction;
}

void Session::connect(PeerSession& peer) {
  enter(peer, PeerState::kConnecting);
  begin_epoch(peer);
  peer.back_off = kFirstBackOff;
  start_timer(peer);
  peer.due.hello = true;
  if (!send_hello(peer)) need_attention(peer);
}

bool Session::send_hello(PeerSession& peer) {
  std::byte body[sizeof(Introduction)];
  encode(body, make_introduction(peer, 0));
  const FrameHeader header{0, 0, static_cast<std::uint8_t>(FrameKind::kHello), 0, 0, 0, 0, 0};
  const PostStatus status = send_alone(peer.lower, header, body);
  if (status == PostStatus::kFailed) {
    // The connection was refused: the timer tries again.
    peer.due.hello = false;
    return true;
  }
  if (status != PostStatus::kOk) return false;
  peer.due.hello = false;
  ++counters_.hellos;
  frame_is_leaving(peer, 0);
  return true;
}

// Answers the hello that store_introduction() stored. False: the lower transport has no room, or
// the peer is lost.
bool Session::send_welcome(PeerSession& peer) {
  std::byte body[sizeof(Introduction)];
  encode(body, make_introduction(peer, peer.remote_epoch));
  const FrameHeader header{0,
                           0,
                           static_cast<std::uint8_t>(FrameKind::kWelcome),
                           peer.remote_slot,
                           peer.remote_epoch,
                           peer.sent,
                           peer.received,
                           0};
  const PostStatus status = send_alone(peer.lower, header, body);
  if (status == PostStatus::kFailed)
    lose_outside_poll(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
  if (status != PostStatus::kOk) return false;
  frame_is_leaving(peer, 0);
  return true;
}

void Session::store_introduction(PeerSession& peer, const FrameHeader& header,
                                 const Introduction& introduction) {
  peer.incarnation = introduction.incarnation;
  peer.remote_slot = introduction.slot;
  peer.remote_epoch = introduction.epoch;
  peer.newest_version = header.version;
  peer.oldest_version = introduction.oldest_version;
  std::memcpy(peer.provider, introduction.provider, sizeof peer.provider);
}

void Session::opened(PeerSession& peer) {
  enter(peer, PeerState::kOpen);
  lower_->admit(peer.lower);
  peer.due = {};
  peer.error = Error();
  peer.last_heard = now_;
  stop_timer(peer);
  if (peer.awaited()) start_timer(peer);
}

void Session::on_hello(PeerId from, const FrameHeader& header, std::span<const std::byte> body) {
  if (body.size() < sizeof(Introduction)) return void(++counters_.malformed_introduction);
  const auto introduction = decode<Introduction>(body.data());
  const ProcessId name{NodeId{introduction.nid}, Pid{introduction.pid}};
  if (!well_formed(header, introduction) || name == self())
    return void(++counters_.malformed_introduction);
  if (from != kNoPeer && lower_->name_of(from) != name) return void(++counters_.malformed_source);
  if (closing_) return void(++counters_.stale_epoch);
  if (peer_of_name_.size() >= options_.max_peers && !peer_of_name_.contains(name))
    return void(++counters_.too_many_peers);
  const Result<PeerId> resolved = resolve(name);
  if (!resolved) return void(++counters_.malformed_introduction);
  PeerSession& peer = at(*resolved);

  if (!compatible(header, introduction))
    return refuse(peer.lower, header, introduction, RefuseReason::kVersion);
  if (!same_provider(introduction.provider))
    return refuse(peer.lower, header, introduction, RefuseReason::kProvider);

  if (peer.state == PeerState::kLost) fail(peer, peer.error);
  if (peer.state == PeerState::kOpen || peer.state == PeerState::kWelcoming) {
    const bool again = introduction.incarnation == peer.incarnation &&
                       introduction.epoch == peer.remote_epoch &&
                       introduction.slot == peer.remote_slot;
    if (again) {  // the peer has not received our welcome yet
      peer.due.welcome = true;
      return need_attention(peer);
    }
    fail(peer, introduction.incarnation != peer.incarnation
                   ? Error(Loss::kPeer, "session", "the peer was restarted")
                   : Error(Loss::kPeer, "session", "the peer ended the session and began another"));
  }
  // If this side is connecting, both sides have sent a hello. Each answers with the epoch that it
  // named in its own hello.
  if (peer.state == PeerState::kConnecting) {
    peer.hello_unanswered = true;
  } else {
    begin_epoch(peer);
    start_timer(peer);
  }
  store_introduction(peer, header, introduction);
  enter(peer, PeerState::kWelcoming);
  if (send_welcome(peer)) {
    opened(peer);
  } else {
    need_attention(peer);
  }
}

void Session::on_welcome(const FrameHeader& header, std::span<const std::byte> body) {
  if (body.size() < sizeof(Introduction)) return void(++counters_.malformed_introduction);
  if (header.receiver_slot >= peers_.size()) return void(++counters_.malformed_slot);
  const auto introduction = decode<Introduction>(body.data());
  PeerSession& peer = *peers_[header.receiver_slot];
  if (!well_formed(header, introduction) ||
      peer.name != ProcessId{NodeId{introduction.nid}, Pid{introduction.pid}}) {
    return void(++counters_.malformed_introduction);
  }
  const bool current = peer.local_epoch != 0 && header.receiver_epoch == peer.local_epoch &&
                       introduction.echoed_epoch == peer.local_epoch;
  if (current && peer.state == PeerState::kOpen && introduction.epoch == peer.remote_epoch) {
    peer.hello_unanswered = false;  // both sides sent a hello; the peer's opened the session
    return;
  }
  if (!current || peer.state != PeerState::kConnecting) return void(++counters_.stale_epoch);
  store_introduction(peer, header, introduction);
  if (!compatible(header, introduction)) return give_up(peer, kIncompatibleVersion);
  if (!same_provider(introduction.provider)) return give_up(peer, kOtherProvider);
  opened(peer);
}

void Session::refuse(PeerId lower, const FrameHeader&, const Introduction& introduction,
                     RefuseReason reason) {
  ++counters_.refused;
  RefuseBody refusal{};
  refusal.echoed_epoch = introduction.epoch;
  refusal.reason = static_cast<std::uint8_t>(reason);
  refusal.oldest_version = kOldestFrameVersion;
  std::memcpy(refusal.provider, provider_, sizeof provider_);
  std::byte body[sizeof(RefuseBody)];
  encode(body, refusal);
  const FrameHeader header{
      0, 0, static_cast<std::uint8_t>(FrameKind::kRefuse), introduction.slot, introduction.epoch, 0,
      0, 0};
  // If there is no room, nothing is sent; the peer repeats its hello.
  if (send_alone(lower, header, body) == PostStatus::kOk)
    frame_is_leaving(*find_by_lower(lower), 0);
}

void Session::on_refuse(const FrameHeader& header, std::span<const std::byte> body) {
  if (body.size() < sizeof(RefuseBody)) return void(++counters_.malformed_introduction);
  if (header.receiver_slot >= peers_.size()) return void(++counters_.malformed_slot);
  const auto refusal = decode<RefuseBody>(body.data());
  const auto reason = static_cast<RefuseReason>(refusal.reason);
  const bool terminated = std::memchr(refusal.provider, 0, sizeof refusal.provider) != nullptr;
  if (!terminated || (reason != RefuseReason::kVersion && reason != RefuseReason::kProvider)) {
    return void(++counters_.malformed_introduction);
  }
  PeerSession& peer = *peers_[header.receiver_slot];
  if (peer.state != PeerState::kConnecting || header.receiver_epoch != peer.local_epoch ||
      refusal.echoed_epoch != peer.local_epoch) {
    return void(++counters_.stale_epoch);
  }
  peer.not_reached = Error();
  peer.newest_version = header.version;
  peer.oldest_version = refusal.oldest_version;
  std::memcpy(peer.provider, refusal.provider, sizeof peer.provider);
  give_up(peer, reason == RefuseReason::kVersion ? kIncompatibleVersion : kOtherProvider);
}

}  // namespace lintel::transport
