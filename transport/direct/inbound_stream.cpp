#include "transport/direct/inbound_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

InboundStream::InboundStream(const PieceLimits& limits, StreamBuffers& buffers)
    : limits_(limits), buffers_(buffers) {
  LINTEL_ASSERT(buffers.bytes() >= limits.message_bytes + sizeof(PieceHeader));
  LINTEL_ASSERT(buffers.bytes() >= sizeof(PieceHeader) + sizeof(PlacedHeader) + kMaxPlacedMessage);
}

std::span<const iovec> InboundStream::room(std::size_t at_most) {
  LINTEL_ASSERT(state_ == StreamState::kReading);
  if (!buffer_ && !(buffer_ = buffers_.take())) return {};
  make_room();
  pieces_[0] = {place_, to_place_};
  pieces_[1] = {buffer_.get() + end_,
                std::min(buffers_.bytes() - end_, std::max({at_most, wanted_, to_drop_}))};
  return to_place_ > 0 ? std::span<const iovec>(pieces_)
                       : std::span<const iovec>(pieces_).subspan(1);
}

// Moves the piece that has begun to the front of the buffer if it would not fit behind begin_.
void InboundStream::make_room() {
  if (begin_ == 0 || std::max(wanted_, sizeof(PieceHeader)) <= buffers_.bytes() - begin_) return;
  std::memmove(buffer_.get(), next(), available());
  end_ = available();
  begin_ = 0;
}

void InboundStream::give_buffer_back() {
  if (buffer_) buffers_.give_back(std::move(buffer_));
  begin_ = end_ = wanted_ = 0;
}

void InboundStream::arrived(std::size_t bytes, StreamSink& sink) {
  const std::size_t placed = std::min(bytes, to_place_);
  place_ += placed;
  to_place_ -= placed;
  position_ += placed;
  end_ += bytes - placed;
  LINTEL_ASSERT(end_ <= buffers_.bytes());
  parse_pieces(sink);
}

void InboundStream::resume(StreamSink& sink) {
  if (!is_waiting()) return;
  state_ = StreamState::kReading;
  parse_pieces(sink);
}

void InboundStream::parse_pieces(StreamSink& sink) {
  while (payload_kind_ != PieceKind::kMessage ? continue_payload(sink) : parse_piece(sink)) {
  }
  if (available() == 0) give_buffer_back();
}

// False: the bytes that have arrived allow no further step.
bool InboundStream::parse_piece(StreamSink& sink) {
  wanted_ = sizeof(PieceHeader);
  if (available() < wanted_) return false;
  const auto header = decode<PieceHeader>(next());
  switch (static_cast<PieceKind>(header.kind)) {
    case PieceKind::kMessage: return begin_message(header, sink);
    case PieceKind::kWrite: return begin_write(header, sink);
    case PieceKind::kPlaced: return begin_placed(header, sink);
    case PieceKind::kAcknowledge:
      begin_ += wanted_;
      switch (sink.on_acknowledgement(header.length)) {
        case Acknowledged::kUnsent:
          return broken("an acknowledgement is of bytes that were not sent");
        case Acknowledged::kNothing: return true;
        case Acknowledged::kLastOperation: break;
      }
      if (available() == 0) return true;
      state_ = StreamState::kPaused;
      return false;
  }
  return broken("a piece has an unknown kind");
}

bool InboundStream::begin_message(const PieceHeader& header, StreamSink& sink) {
  if (header.length > limits_.message_bytes) return broken("a message is longer than the largest");
  wanted_ = sizeof(PieceHeader) + header.length;
  if (available() < wanted_) return false;
  const std::span<const std::byte> message(next() + sizeof(PieceHeader), header.length);
  consume(wanted_);
  if (header.flags != 0) sink.on_acknowledgement_wanted(header.flags);
  sink.on_message(message);
  return true;
}

bool InboundStream::begin_write(const PieceHeader& header, StreamSink& sink) {
  if (header.length == 0 || header.length > limits_.write_bytes)
    return broken("a write has an invalid length");
  wanted_ = sizeof(PieceHeader) + sizeof(WriteHeader);
  if (available() < wanted_) return false;
  const auto write = decode<WriteHeader>(next() + sizeof(PieceHeader));
  std::byte* const place = sink.place_of_write({write.key, write.address}, header.length);
  if (place == nullptr) return broken("a write goes to memory that is not registered for it");
  consume(wanted_);
  flags_ = header.flags;
  immediate_ = Immediate(write.immediate);
  begin_payload(PieceKind::kWrite, {place, header.length}, header.length);
  return true;
}

bool InboundStream::begin_placed(const PieceHeader& header, StreamSink& sink) {
  if (header.length == 0 || header.length > limits_.placed_bytes)
    return broken("a placed message has an invalid length");
  if (header.message_bytes > kMaxPlacedMessage)
    return broken("the placed message is longer than the largest");
  wanted_ = sizeof(PieceHeader) + sizeof(PlacedHeader) + header.message_bytes;
  if (available() < wanted_) return false;
  const auto placed_message = decode<PlacedHeader>(next() + sizeof(PieceHeader));
  if (!is_placement_key(PlacementKey(placed_message.key)))
    return broken("a placed message has an invalid key");
  const auto place = sink.place_of_payload(PlacementKey(placed_message.key));
  if (!place) return broken("a placed message comes before the session");
  landing_ = *place;
  if (landing_.empty()) {
    state_ = StreamState::kStalled;
    return false;
  }
  payload_length_ = header.length;
  placed_message_bytes_ = header.message_bytes;
  std::memcpy(placed_message_.data(), next() + (wanted_ - header.message_bytes),
              header.message_bytes);
  consume(wanted_);
  flags_ = header.flags;
  begin_payload(PieceKind::kPlaced, landing_, header.length);
  return true;
}

void InboundStream::begin_payload(PieceKind kind, std::span<std::byte> place, std::size_t length) {
  payload_kind_ = kind;
  place_ = place.data();
  to_place_ = std::min(place.size(), length);
  to_drop_ = length - to_place_;
  cut_ = false;
  wanted_ = 0;
}

// Copies the part of the payload that is in the buffer to its place. False: more has to arrive.
bool InboundStream::continue_payload(StreamSink& sink) {
  const std::size_t placed = std::min(available(), to_place_);
  if (placed > 0) std::memcpy(place_, next(), placed);
  place_ += placed;
  to_place_ -= placed;
  consume(placed);
  const std::size_t dropped = to_place_ > 0 ? 0 : std::min(available(), to_drop_);
  to_drop_ -= dropped;
  consume(dropped);
  if (to_place_ > 0 || to_drop_ > 0) return false;
  if (flags_ != 0) sink.on_acknowledgement_wanted(flags_);
  if (std::exchange(payload_kind_, PieceKind::kMessage) == PieceKind::kPlaced) {
    const PlacedPayload payload{landing_.first(std::min(landing_.size(), payload_length_)),
                                payload_length_};
    sink.on_placed_message({placed_message_.data(), placed_message_bytes_}, payload);
  } else if (!cut_) {
    sink.on_write_in_place(immediate_);
  }
  return true;
}

void InboundStream::consume(std::size_t bytes) {
  begin_ += bytes;
  position_ += bytes;
}

void InboundStream::interrupt() {
  if (is_waiting()) state_ = StreamState::kReading;
  leave_beginning();
}

std::size_t InboundStream::leave_beginning() {
  const std::size_t left = available();
  give_buffer_back();
  return left;
}

void InboundStream::cut_write() {
  if (payload_kind_ != PieceKind::kWrite) return;
  to_drop_ += std::exchange(to_place_, 0);
  cut_ = true;
}

void InboundStream::stop() {
  state_ = StreamState::kStopped;
  begin_ = end_;
  payload_kind_ = PieceKind::kMessage;
  to_place_ = to_drop_ = 0;
}

bool InboundStream::broken(const char* reason) {
  state_ = StreamState::kBroken;
  reason_ = reason;
  return false;
}

}  // namespace lintel::transport
