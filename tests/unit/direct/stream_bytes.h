#pragma once
// For tests without sockets: the bytes of pieces, and a sink that keeps what a stream finds in
// them.

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "transport/direct/inbound_stream.h"

namespace lintel::transport {

using Bytes = std::vector<std::byte>;

inline Bytes filled(std::size_t bytes, unsigned seed) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + i / 251 + seed);
  return made;
}

inline void append(Bytes& to, std::span<const std::byte> more) {
  to.insert(to.end(), more.begin(), more.end());
}

template <class Wire>
void append_wire(Bytes& to, const Wire& value) {
  std::byte wire[sizeof value];
  encode(wire, value);
  append(to, wire);
}

inline PieceHeader piece_header(PieceKind kind, std::size_t length, std::size_t message_bytes = 0,
                                std::uint16_t flags = 0) {
  return {static_cast<std::uint32_t>(length), static_cast<std::uint8_t>(kind),
          static_cast<std::uint8_t>(message_bytes), flags};
}

inline void append_message(Bytes& to, std::span<const std::byte> message, std::uint16_t flags = 0) {
  append_wire(to, piece_header(PieceKind::kMessage, message.size(), 0, flags));
  append(to, message);
}

inline void append_acknowledgement(Bytes& to, std::uint32_t received) {
  append_wire(to, piece_header(PieceKind::kAcknowledge, received));
}

inline void append_write(Bytes& to, RemoteMemory where, Immediate immediate,
                         std::span<const std::byte> data) {
  append_wire(to, piece_header(PieceKind::kWrite, data.size()));
  append_wire(to, WriteHeader{where.key, where.address, immediate.value, 0});
  append(to, data);
}

inline void append_placed(Bytes& to, PlacementKey key, std::span<const std::byte> message,
                          std::span<const std::byte> payload) {
  append_wire(to, piece_header(PieceKind::kPlaced, payload.size(), message.size()));
  append_wire(to, PlacedHeader{key.value});
  append(to, message);
  append(to, payload);
}

// Has memory by key. Describes each thing found as one line of text, in order.
class RecordingStreamSink : public StreamSink {
 public:
  std::map<std::uint64_t, Bytes> targets;
  std::map<std::uint64_t, Bytes> landings;
  bool may_place = true;
  std::vector<std::string> found;
  std::vector<Bytes> contents;  // of messages and payloads
  std::uint64_t last_placed = 0;

  void on_message(std::span<const std::byte> message) override { keep("message", message); }
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override {
    const auto target = targets.find(where.key);
    if (target == targets.end() || where.address > target->second.size() ||
        length > target->second.size() - where.address)
      return nullptr;
    return target->second.data() + where.address;
  }
  void on_write_in_place(Immediate immediate) override {
    keep("write " + std::to_string(immediate.value), {});
  }
  std::optional<std::span<std::byte>> place_of_payload(PlacementKey key) override {
    last_placed = key.value;
    if (!may_place) return std::nullopt;
    const auto landing = landings.find(key.value);
    if (landing == landings.end()) return std::span<std::byte>();
    return std::span<std::byte>(landing->second);
  }
  void on_placed_message(std::span<const std::byte> message,
                         const PlacedPayload& payload) override {
    keep("placed message " + std::to_string(last_placed) + " of " + std::to_string(payload.length),
         message);
    contents.emplace_back(payload.bytes.begin(), payload.bytes.end());
  }

  Acknowledged on_acknowledgement(std::uint32_t received) override {
    acknowledged.push_back(received);
    return acknowledgements_are_of;
  }
  void on_acknowledgement_wanted(std::uint16_t flags) override { wanted |= flags; }

  std::vector<std::uint32_t> acknowledged;
  Acknowledged acknowledgements_are_of = Acknowledged::kNothing;
  unsigned wanted = 0;

 private:
  void keep(std::string what, std::span<const std::byte> content) {
    found.push_back(std::move(what));
    contents.emplace_back(content.begin(), content.end());
  }
};

// Feeds `bytes` to the stream as it has room, at most `portion` at a time, until it accepts no
// more. Returns how many bytes it took.
inline std::size_t feed(InboundStream& stream, StreamSink& sink, std::span<const std::byte> bytes,
                        std::size_t portion, std::size_t at_most = 1U << 20) {
  std::size_t fed = 0;
  while (fed < bytes.size() && stream.state() == InboundStream::StreamState::kReading) {
    std::size_t come = 0;
    for (const iovec& piece : stream.room(at_most)) {
      const std::size_t part = std::min({piece.iov_len, portion - come, bytes.size() - fed - come});
      if (part > 0) std::memcpy(piece.iov_base, bytes.data() + fed + come, part);
      come += part;
      if (part < piece.iov_len) break;
    }
    fed += come;
    stream.arrived(come, sink);
  }
  return fed;
}

}  // namespace lintel::transport
