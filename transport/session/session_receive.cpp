// Session: received frames. Everything in them is foreign input: what is malformed is dropped and
// counted.

#include <new>

#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

void Session::on_message(PeerId from, std::span<const std::byte> frame) {
  lock_.is_held();
  FrameHeader header;
  if (!parse_frame(frame, header)) return;
  const std::span<const std::byte> body = frame.subspan(sizeof(FrameHeader));
  if (header.length != body.size()) return void(++tables_.counters.malformed_length);
  const auto kind = static_cast<FrameKind>(header.kind);
  switch (kind) {
    case FrameKind::kHello: return handshakes_.on_hello(from, header, body);
    case FrameKind::kWelcome: return handshakes_.on_welcome(from, header, body);
    case FrameKind::kRefuse: return handshakes_.on_refuse(from, header, body);
    case FrameKind::kConfirm:
    case FrameKind::kData:
    case FrameKind::kAck:
    case FrameKind::kPing:
    case FrameKind::kGoodbye: break;
    default: return void(++tables_.counters.malformed_kind);
  }
  if (header.version != kFrameVersion) return void(++tables_.counters.malformed_version);
  if (kind == FrameKind::kConfirm) return handshakes_.on_confirm(from, header, body);
  if (kind == FrameKind::kGoodbye && tables_.closing) end_closed(from);
  PeerSession* const peer = addressed(from, header);
  if (peer == nullptr || !take_acknowledgement(*peer, header)) return;
  if (kind == FrameKind::kData) return on_data(*peer, header, body);
  if (!body.empty()) return void(++tables_.counters.malformed_length);

  if (kind == FrameKind::kGoodbye) {
    states_.end_connection(*peer);
    return states_.fail(*peer, Error(Loss::kPeer, "session", "the peer closed its endpoint"));
  }
  if (peer->received.lacks(header.sequence)) {
    ++tables_.counters.gaps;
    return states_.give_up(*peer, Error(Loss::kPeer, "session", "frames from the peer were lost"));
  }
  if (kind == FrameKind::kPing) {
    peer->due.ack = true;
    tables_.pending.add(*peer);
  }
}

// A goodbye that may have met this process' own: then neither side waits for the other any more.
void Session::end_closed(PeerId from) {
  PeerSession* const peer = from == kNoPeer ? nullptr : tables_.peers.find_by_lower(from);
  if (peer != nullptr && peer->state == PeerState::kClosed) states_.end_connection(*peer);
}

bool Session::parse_frame(std::span<const std::byte> frame, FrameHeader& header) {
  ++tables_.counters.frames_received;
  if (frame.size() < sizeof(FrameHeader)) {
    ++tables_.counters.malformed_short;
    return false;
  }
  header = decode<FrameHeader>(frame.data());
  if (header.magic != kFrameMagic) ++tables_.counters.malformed_magic;
  return header.magic == kFrameMagic;
}

// The frame of one message. Zeros may follow it, because placed messages have a fixed room for
// their frame.
void Session::on_placed_message(PeerId from, std::span<const std::byte> frame,
                                const PlacedPayload& payload) {
  lock_.is_held();
  FrameHeader header;
  if (!parse_frame(frame, header)) return;
  if (header.length > frame.size() - sizeof(FrameHeader))
    return void(++tables_.counters.malformed_length);
  if (header.kind != static_cast<std::uint8_t>(FrameKind::kData))
    return void(++tables_.counters.malformed_kind);
  if (header.version != kFrameVersion) return void(++tables_.counters.malformed_version);
  PeerSession* const peer = addressed(from, header);
  if (peer == nullptr || !take_acknowledgement(*peer, header) || !in_sequence(*peer, header))
    return;
  RecordReader reader(frame.subspan(sizeof(FrameHeader), header.length));
  std::span<const std::byte> message;
  std::span<const std::byte> another;
  if (!reader.next(message) || reader.next(another) || reader.malformed())
    return void(++tables_.counters.malformed_record);
  received(*peer);
  ++tables_.counters.messages_received;
  try {
    tables_.turn.report().on_placed_message(peer->id, message, payload);
  } catch (const std::bad_alloc&) {
    no_memory_for(*peer);
    throw;
  }
}

// What the sink has not taken does not come again. A network that knows the source gives up the
// peer itself.
void Session::no_memory_for(PeerSession& peer) {
  if (peer.state == PeerState::kOpen && !lower_->attributes().knows_source)
    states_.lose_outside_poll(peer, Error(Loss::kPeer, "session",
                                          "this process had no memory for what the peer has sent"));
}

// The open session that the frame belongs to, or nullptr.
PeerSession* Session::addressed(PeerId from, const FrameHeader& header) {
  if (header.receiver_slot >= tables_.peers.size()) {
    ++tables_.counters.malformed_slot;
    return nullptr;
  }
  PeerSession& peer = tables_.peers.at(PeerId(header.receiver_slot));
  if (peer.state != PeerState::kOpen || header.receiver_epoch != peer.local_epoch) {
    ++tables_.counters.stale_epoch;
    return nullptr;
  }
  if (from != kNoPeer && from != peer.lower) {
    ++tables_.counters.malformed_source;
    return nullptr;
  }
  return &peer;
}

// False: the frame acknowledges frames that were never sent. An older acknowledgement than the last
// one is valid and changes nothing.
bool Session::take_acknowledgement(PeerSession& peer, const FrameHeader& header) {
  const SendWindow::AckResult result = peer.window.acknowledge(header.acknowledged);
  if (result == SendWindow::AckResult::kOlder) {
    liveness_.heard_from(peer, false);
    return true;
  }
  if (result == SendWindow::AckResult::kNeverSent) {
    ++tables_.counters.malformed_acknowledgement;
    return false;
  }
  if (result == SendWindow::AckResult::kAdvanced) peer.early_ping = false;
  if (peer.arrival_awaited) [[unlikely]]
    continue_awaiting(peer);
  liveness_.heard_from(peer, result == SendWindow::AckResult::kAdvanced);
  return true;
}

// False: the frame was received before, or one before it is missing.
bool Session::in_sequence(PeerSession& peer, const FrameHeader& header) {
  const std::int32_t ahead = peer.received.ahead(header.sequence);
  if (ahead < 0) ++tables_.counters.duplicates;
  if (ahead > 0) {
    ++tables_.counters.gaps;
    states_.give_up(peer, Error(Loss::kPeer, "session", "frames from the peer were lost"));
  }
  return ahead == 0;
}

// Counts the frame that in_sequence() accepted.
void Session::received(PeerSession& peer) {
  if (peer.received.accept(options_.window_frames)) {
    peer.due.ack = true;
    tables_.pending.add(peer);
  }
}

void Session::on_data(PeerSession& peer, const FrameHeader& header,
                      std::span<const std::byte> body) {
  if (!in_sequence(peer, header)) return;
  // The whole frame is checked before any message of it is delivered: a frame counts whole or not
  // at all.
  std::span<const std::byte> message;
  RecordReader check(body);
  while (check.next(message)) {
  }
  if (check.malformed()) return void(++tables_.counters.malformed_record);

  received(peer);
  try {
    for (RecordReader reader(body); reader.next(message);) {
      ++tables_.counters.messages_received;
      tables_.turn.report().on_message(peer.id, message);
    }
  } catch (const std::bad_alloc&) {
    no_memory_for(peer);
    throw;
  }
}

}  // namespace lintel::transport
