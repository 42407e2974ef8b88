// Session: sends messages and control frames.

#include <cstring>
#include <utility>

#include "base/assert.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

MessageBuffer Session::reserve(PeerId id, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
  PeerSession& peer = peers_.at(id);
  if (peer.state != PeerState::kOpen) [[unlikely]] {
    return reserve_unready(peer, bytes);
  }
  if (!peer.frame.is_open()
          ? !open_frame(peer)
          : !peer.frame.has_room(bytes, frame_limit_) && !(send_frame(peer) && open_frame(peer))) {
    ++counters_.would_block;
    return {};
  }
  return peer.frame.next_message(frame_limit_);
}

MessageBuffer Session::reserve_unready(PeerSession& peer, std::size_t bytes) {
  if (peer.state == PeerState::kClosed && !closing_) connect(peer);
  if (peer.state == PeerState::kWelcoming && !peer.wanted) connect_too(peer);
  MessageBuffer buffer;
  if (peer.state == PeerState::kLocal && !closing_) buffer = local_.reserve(bytes);
  if (!buffer) ++counters_.would_block;
  return buffer;
}

PostStatus Session::commit(PeerId id, const MessageBuffer& buffer, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= buffer.capacity);
  PeerSession& peer = peers_.at(id);
  if (peer.state != PeerState::kOpen) [[unlikely]] {
    if (peer.state != PeerState::kLocal) return PostStatus::kFailed;
    local_.commit(bytes);
    ++counters_.local_messages;
    return PostStatus::kOk;
  }
  peer.frame.close_record(bytes);
  ++counters_.messages_sent;
  // Inside poll() the frame stays open, so that answers share it; it is sent at the end of the
  // poll.
  if (turn_.is_under_way() || peer.leaving.count() != 0 || !send_frame(peer)) pending_.add(peer);
  return PostStatus::kOk;
}

// The frame of a placed message has no other message, and is sent at once.
PostStatus Session::commit_placed(PeerId id, const MessageBuffer& buffer, std::size_t bytes,
                                  std::span<const std::byte> payload, PlacementKey key,
                                  Context context) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_placed_message && bytes <= buffer.capacity);
  PeerSession& peer = peers_.at(id);
  if (peer.state == PeerState::kLost) return PostStatus::kFailed;
  if (peer.state != PeerState::kOpen || peer.frame.messages() > 0 || peer.window.is_full()) {
    ++counters_.would_block;
    return PostStatus::kWouldBlock;
  }
  peer.frame.close_record(bytes);
  ++counters_.messages_sent;
  seal_frame(peer);
  const PostStatus status = lower_->commit_placed(peer.lower, peer.frame.buffer(),
                                                  peer.frame.bytes(), payload, key, context);
  if (status == PostStatus::kOk) {
    frame_has_gone(peer);
    return status;
  }
  peer.frame.clear();
  --counters_.messages_sent;
  if (status == PostStatus::kWouldBlock) pending_.await_room();
  if (status == PostStatus::kFailed)
    lose_outside_poll(peer, Error(Loss::kPeer, "commit_placed", "the connection is lost"));
  return status;
}

void Session::abandon(PeerId id, const MessageBuffer&) {
  lock_.is_held();
  PeerSession& peer = peers_.at(id);
  if (peer.frame.is_open() && peer.frame.messages() == 0) drop_open_frame(peer);
}

bool Session::open_frame(PeerSession& peer) {
  if (closing_) return false;
  MessageBuffer buffer = lower_->reserve(peer.lower, frame_limit_);
  if (!buffer) {
    pending_.await_room();
    return false;
  }
  peer.frame.begin(std::move(buffer));
  return true;
}

// False: the frame is still open (window full, no room in the lower transport), or the peer is
// lost.
bool Session::send_frame(PeerSession& peer) {
  if (peer.window.is_full()) return false;
  seal_frame(peer);
  const PostStatus status = lower_->commit(peer.lower, peer.frame.buffer(), peer.frame.bytes());
  if (status != PostStatus::kOk) [[unlikely]] {
    if (status == PostStatus::kFailed) {
      lose_outside_poll(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
    } else {
      pending_.await_room();
    }
    return false;
  }
  frame_has_gone(peer);
  return true;
}

void Session::seal_frame(PeerSession& peer) {
  FrameHeader numbers{};
  numbers.receiver_slot = peer.remote_slot;
  numbers.receiver_epoch = peer.remote_epoch;
  numbers.sequence = peer.window.sent() + 1;
  numbers.acknowledged = peer.received.last();
  peer.frame.seal(numbers);
}

void Session::frame_has_gone(PeerSession& peer) {
  const std::uint32_t messages = peer.frame.messages();
  frame_is_leaving(peer, messages);
  peer.frame.reset();
  peer.received.confirmed();
  peer.due.ack = false;
  if (peer.window.unacknowledged() == 0) timers_.start(peer);
  peer.window.add(messages);
}

void Session::frame_is_leaving(PeerSession& peer, std::uint32_t messages) {
  ++counters_.frames_sent;
  peer.leaving.add(messages);
}

void Session::on_message_left(PeerId to) {
  lock_.is_held();
  PeerSession* const peer = peers_.find_by_lower(to);
  if (peer == nullptr) return;
  std::uint32_t messages = peer->leaving.one_has_left();
  if (messages == 0) return;
  Sink& sink = turn_.report(messages);
  for (; messages > 0; --messages) sink.on_message_left(peer->id);
}

// Its messages are never sent.
void Session::drop_open_frame(PeerSession& peer) {
  count_lost(peer, peer.frame.messages());
  if (peer.frame.is_open()) lower_->abandon(peer.lower, peer.frame.buffer());
  peer.frame.reset();
}

// Sends a control frame. Fills in magic, version and length.
PostStatus Session::send_alone(PeerId lower, FrameHeader header, std::span<const std::byte> body) {
  const std::size_t bytes = sizeof(FrameHeader) + body.size();
  const MessageBuffer buffer = lower_->reserve(lower, bytes);
  if (!buffer) {
    pending_.await_room();
    return PostStatus::kWouldBlock;
  }
  header.magic = kFrameMagic;
  header.version = kFrameVersion;
  header.length = static_cast<std::uint32_t>(body.size());
  encode(buffer.data, header);
  if (!body.empty()) std::memcpy(buffer.data + sizeof(FrameHeader), body.data(), body.size());
  const PostStatus status = lower_->commit(lower, buffer, bytes);
  if (status != PostStatus::kOk) lower_->abandon(lower, buffer);
  if (status == PostStatus::kWouldBlock) pending_.await_room();
  return status;
}

// Sends a control frame with the peer's numbers of the session, or of the handshake under way.
PostStatus Session::send_numbered(PeerSession& peer, FrameKind kind,
                                  std::span<const std::byte> body) {
  const FrameHeader header{0,
                           0,
                           static_cast<std::uint8_t>(kind),
                           peer.remote_slot,
                           peer.remote_epoch,
                           peer.window.sent(),
                           peer.received.last(),
                           0};
  const PostStatus status = send_alone(peer.lower, header, body);
  if (status == PostStatus::kOk) frame_is_leaving(peer, 0);
  return status;
}

// Sends kPing, kAck or kGoodbye, which have only a header.
bool Session::send_control(PeerSession& peer, FrameKind kind) {
  const PostStatus status = send_numbered(peer, kind, {});
  if (status == PostStatus::kFailed)
    lose_outside_poll(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
  if (status != PostStatus::kOk) return false;
  peer.received.confirmed();
  peer.due.ack = false;
  return true;
}

void Session::serve_pending() {
  pending_.serve([this](PeerSession& peer) {
    lock_.is_held();
    return serve(peer);
  });
}

// Sends what is due to the peer. True: something remains, because the lower transport has no room
// or the window is full.
bool Session::serve(PeerSession& peer) {
  switch (peer.state) {
    case PeerState::kClosed:
    case PeerState::kLocal: return false;
    case PeerState::kLost: fail(peer, peer.error); return false;
    case PeerState::kConnecting:
    case PeerState::kWelcoming: return serve_handshake(peer);
    case PeerState::kOpen: break;
  }
  if (peer.due.confirm) send_confirmation(peer);
  if (peer.due.welcome && peer.state == PeerState::kOpen) send_welcome(peer);
  if (peer.due.candidate && peer.state == PeerState::kOpen) send_candidate_welcome(peer);
  if (peer.frame.messages() > 0 && !send_frame(peer) && peer.window.is_full() && !peer.early_ping) {
    // The peer may acknowledge less often than our window needs.
    peer.due.ping = true;
    peer.early_ping = true;
  }
  if (peer.due.ping && peer.state == PeerState::kOpen && send_control(peer, FrameKind::kPing)) {
    peer.due.ping = false;
    ++counters_.pings;
  }
  if (peer.due.ack && peer.state == PeerState::kOpen && send_control(peer, FrameKind::kAck))
    ++counters_.pure_acks;
  return peer.frame.messages() > 0 || peer.due.any() || peer.state == PeerState::kLost;
}

}  // namespace lintel::transport
