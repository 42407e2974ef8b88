// Session: sends messages, and serves what is due to a peer.

#include <utility>

#include "base/assert.h"
#include "transport/session/frame_format.h"
#include "transport/session/session.h"

namespace lintel::transport {

MessageBuffer Session::reserve(PeerId id, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
  PeerSession& peer = tables_.peers.at(id);
  if (peer.state != PeerState::kOpen) [[unlikely]] {
    return reserve_unready(peer, bytes);
  }
  if (!peer.frame.is_open()
          ? !open_frame(peer)
          : !peer.frame.has_room(bytes, frame_limit_) && !(send_frame(peer) && open_frame(peer))) {
    ++tables_.counters.would_block;
    return {};
  }
  return peer.frame.next_message(frame_limit_);
}

MessageBuffer Session::reserve_unready(PeerSession& peer, std::size_t bytes) {
  handshakes_.want(peer);
  MessageBuffer buffer;
  if (peer.state == PeerState::kLocal && !tables_.closing) buffer = local_.reserve(bytes);
  if (!buffer) ++tables_.counters.would_block;
  return buffer;
}

PostStatus Session::commit(PeerId id, const MessageBuffer& buffer, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= buffer.capacity);
  PeerSession& peer = tables_.peers.at(id);
  if (peer.state != PeerState::kOpen) [[unlikely]] {
    if (peer.state != PeerState::kLocal) return PostStatus::kFailed;
    local_.commit(bytes);
    ++tables_.counters.local_messages;
    return PostStatus::kOk;
  }
  peer.frame.close_record(bytes);
  ++tables_.counters.messages_sent;
  // Inside poll() the frame stays open, so that answers share it; it is sent at the end of the
  // poll.
  if (tables_.turn.is_under_way() || peer.leaving.count() != 0 || !send_frame(peer))
    tables_.pending.add(peer);
  return PostStatus::kOk;
}

// The frame of a placed message has no other message, and is sent at once.
PostStatus Session::commit_placed(PeerId id, const MessageBuffer& buffer, std::size_t bytes,
                                  std::span<const std::byte> payload, PlacementKey key,
                                  Context context) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_placed_message && bytes <= buffer.capacity);
  PeerSession& peer = tables_.peers.at(id);
  if (peer.state == PeerState::kLost) return PostStatus::kFailed;
  if (peer.state != PeerState::kOpen || peer.frame.messages() > 0 || peer.window.is_full()) {
    ++tables_.counters.would_block;
    return PostStatus::kWouldBlock;
  }
  peer.frame.close_record(bytes);
  ++tables_.counters.messages_sent;
  seal_frame(peer);
  const PostStatus status = lower_->commit_placed(peer.lower, peer.frame.buffer(),
                                                  peer.frame.bytes(), payload, key, context);
  if (status == PostStatus::kOk) {
    frame_has_gone(peer);
    return status;
  }
  peer.frame.clear();
  --tables_.counters.messages_sent;
  if (status == PostStatus::kWouldBlock) tables_.pending.await_room();
  if (status == PostStatus::kFailed)
    states_.lose_outside_poll(peer, Error(Loss::kPeer, "commit_placed", "the connection is lost"));
  return status;
}

void Session::abandon(PeerId id, const MessageBuffer&) {
  lock_.is_held();
  PeerSession& peer = tables_.peers.at(id);
  if (peer.frame.is_open() && peer.frame.messages() == 0) states_.drop_open_frame(peer);
}

bool Session::open_frame(PeerSession& peer) {
  if (tables_.closing) return false;
  MessageBuffer buffer = lower_->reserve(peer.lower, frame_limit_);
  if (!buffer) {
    tables_.pending.await_room();
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
      states_.lose_outside_poll(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
    } else {
      tables_.pending.await_room();
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
  tables_.count_leaving(peer, messages);
  peer.frame.reset();
  peer.received.confirmed();
  peer.due.ack = false;
  if (peer.window.unacknowledged() == 0) tables_.timers.start(peer);
  peer.window.add(messages);
}

void Session::on_message_left(PeerId to) {
  lock_.is_held();
  PeerSession* const peer = tables_.peers.find_by_lower(to);
  if (peer == nullptr) return;
  std::uint32_t messages = peer->leaving.one_has_left();
  if (messages == 0) return;
  Sink& sink = tables_.turn.report(messages);
  for (; messages > 0; --messages) sink.on_message_left(peer->id);
}

void Session::serve_pending() {
  tables_.pending.serve([this](PeerSession& peer) {
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
    case PeerState::kLost: states_.fail(peer, peer.error); return false;
    case PeerState::kConnecting:
    case PeerState::kWelcoming: return handshakes_.serve(peer);
    case PeerState::kOpen: break;
  }
  handshakes_.serve_open(peer);
  if (peer.frame.messages() > 0 && !send_frame(peer) && peer.window.is_full() && !peer.early_ping) {
    // The peer may acknowledge less often than our window needs.
    peer.due.ping = true;
    peer.early_ping = true;
  }
  if (peer.due.ping && peer.state == PeerState::kOpen &&
      states_.send_control(peer, FrameKind::kPing)) {
    peer.due.ping = false;
    ++tables_.counters.pings;
  }
  if (peer.due.ack && peer.state == PeerState::kOpen && states_.send_control(peer, FrameKind::kAck))
    ++tables_.counters.pure_acks;
  return peer.frame.messages() > 0 || peer.due.any() || peer.state == PeerState::kLost;
}

}  // namespace lintel::transport
