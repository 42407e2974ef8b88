#include "frame_bytes.h"

namespace lintel::test {
namespace {

using transport::FrameKind;

void put_big_endian(Bytes& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = size; i-- > 0;) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put_little_endian(Bytes& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Bytes frame_header(FrameKind kind, std::size_t length) {
  Bytes bytes;
  put_big_endian(bytes, transport::kFrameMagic, 2);
  put_big_endian(bytes, transport::kFrameVersion, 1);
  put_big_endian(bytes, static_cast<std::uint8_t>(kind), 1);
  put_big_endian(bytes, 5, 4);   // receiver_slot
  put_big_endian(bytes, 12, 4);  // receiver_epoch
  put_big_endian(bytes, 1, 4);   // sequence
  put_big_endian(bytes, 0, 4);   // acknowledged
  put_big_endian(bytes, length, 4);
  return bytes;
}

// prov/tcp's base header: version 3, then little-endian on the hosts that Lintel supports.
Bytes xnet_header(unsigned operation, unsigned flags, unsigned iov_count, std::size_t header_size,
                  std::size_t data_size) {
  Bytes bytes;
  for (const unsigned byte :
       {3U, operation, flags, 0U, 0U, iov_count, static_cast<unsigned>(header_size), 0U}) {
    bytes.push_back(static_cast<std::byte>(byte));
  }
  put_little_endian(bytes, header_size + data_size, 8);
  return bytes;
}

constexpr std::size_t kBaseHeaderSize = 16;

template <class Wire>
void append_wire(Bytes& bytes, const Wire& value) {
  bytes.resize(bytes.size() + sizeof value);
  transport::encode(bytes.data() + bytes.size() - sizeof value, value);
}

Bytes piece(transport::PieceKind kind, std::size_t length, std::size_t message_bytes = 0) {
  Bytes bytes;
  append_wire(bytes, transport::PieceHeader{static_cast<std::uint32_t>(length),
                                            static_cast<std::uint8_t>(kind),
                                            static_cast<std::uint8_t>(message_bytes), 0});
  return bytes;
}

}  // namespace

Bytes bytes_of(std::string_view text) {
  Bytes bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Bytes bare_frame(FrameKind kind) { return frame_header(kind, 0); }

Bytes data_frame(const std::vector<Bytes>& messages) {
  Bytes records;
  for (const Bytes& each : messages) {
    put_big_endian(records, each.size(), 4);
    put_big_endian(records, 0, 4);
    append(records, each);
    while (records.size() % transport::kRecordAlignment != 0) records.push_back(std::byte{0});
  }
  Bytes frame = frame_header(FrameKind::kData, records.size());
  append(frame, records);
  return frame;
}

Bytes direct_greeting(transport::GreetingKind kind) {
  Bytes bytes;
  append_wire(bytes, transport::Greeting{transport::kGreetingMagic, transport::kStreamVersion,
                                         static_cast<std::uint8_t>(kind), 0, 0x0a000001, 1000,
                                         0x0a000002, 2000, 0x5eed0000000000c3, 1});
  return bytes;
}

Bytes direct_acknowledgement(std::uint32_t received) {
  return piece(transport::PieceKind::kAcknowledge, received);
}

Bytes direct_message(const Bytes& data) {
  Bytes bytes = piece(transport::PieceKind::kMessage, data.size());
  append(bytes, data);
  return bytes;
}

Bytes direct_write(std::uint64_t key, std::uint64_t address, std::uint32_t immediate,
                   const Bytes& data) {
  Bytes bytes = piece(transport::PieceKind::kWrite, data.size());
  append_wire(bytes, transport::WriteHeader{key, address, immediate, 0});
  append(bytes, data);
  return bytes;
}

Bytes direct_placed(std::uint64_t key, const Bytes& message, const Bytes& payload) {
  Bytes bytes = piece(transport::PieceKind::kPlaced, payload.size(), message.size());
  append_wire(bytes, transport::PlacedHeader{key});
  append(bytes, message);
  append(bytes, payload);
  return bytes;
}

Bytes xnet_message(const Bytes& data) {
  Bytes bytes = xnet_header(0, 0, 0, kBaseHeaderSize, data.size());
  append(bytes, data);
  return bytes;
}

Bytes rxm_message(const Bytes& data) {
  Bytes packet = {std::byte{4}};  // version; type eager is 0
  packet.resize(32);              // end of the control header
  packet.push_back(std::byte{2});
  packet.resize(40);
  put_little_endian(packet, data.size(), 8);
  packet.resize(64);
  append(packet, data);
  return xnet_message(packet);
}

Bytes xnet_write(std::uint64_t address, std::uint64_t key, std::uint64_t immediate,
                 const Bytes& data) {
  Bytes bytes = xnet_header(4, 1, 1, kBaseHeaderSize + 32, data.size());
  for (const std::uint64_t value : {immediate, address, std::uint64_t{data.size()}, key})
    put_little_endian(bytes, value, 8);
  append(bytes, data);
  return bytes;
}

Bytes xnet_connect_request() {
  Bytes bytes = {std::byte{3}, std::byte{0}, std::byte{0}, std::byte{8}};
  bytes.resize(24);
  put_little_endian(bytes, 1, 8);
  bytes.resize(40);
  return bytes;
}

}  // namespace lintel::test
