#pragma once
// The packets of the point-to-point protocol, and which fields of a put carry their fields. Names
// and numbers are those of IMPI (its packet header, pk_type).
//
// A message (DATA, DATASYNC) is a put to the message portal: the match bits are those of
// envelope.h, the header data a DataHeader, the remote offset the sequence number of the
// message, the data its first part. (Source, destination, source request id, sequence number)
// identifies a message. All other packets are puts without data to the control portal: the top 4
// match bits are the kind, the rest is a Control.
//
// Pure functions of values; any thread. Any bits from the wire can be decoded. The user of the
// decoded values validates them.

#include <cstdint>

namespace lintel::mpi {

enum class PacketKind : std::uint8_t {
  kData = 0,       // a message whose sender waits for no answer
  kDatasync = 1,   // a message whose sender waits until it is received
  kProtoack = 2,   // returned credit; without credit it opens a session (PeerWatch)
  kSyncack = 3,    // the message was received, and nothing of it will be pulled
  kCancel = 4,     // the sender asks for the message back
  kCancelyes = 5,  // the message was removed, unreceived
  kCancelno = 6,   // the message had been received
};

inline constexpr unsigned kLengthBits = 42;
inline constexpr unsigned kRequestIdBits = 20;
inline constexpr std::uint64_t kMaxLength = (std::uint64_t{1} << kLengthBits) - 1;
inline constexpr std::uint32_t kMaxRequestId = (std::uint32_t{1} << kRequestIdBits) - 1;

// The header data of a message. From the highest bit: 2 bits kind, 20 bits source request id, 42
// bits length.
struct DataHeader {
  PacketKind kind = PacketKind::kData;  // kData, kDatasync
  bool rest_follows = false;            // DATASYNC: the receiver is to pull the rest
  std::uint32_t request_id = 0;         // DATASYNC: unique among the active sends of the source
  std::uint64_t length = 0;             // of the whole message
};

constexpr std::uint64_t encode(const DataHeader& header) {
  const std::uint64_t kind =
      (header.kind == PacketKind::kDatasync ? 1U : 0U) | (header.rest_follows ? 2U : 0U);
  return (kind << (kRequestIdBits + kLengthBits)) |
         (std::uint64_t{header.request_id} << kLengthBits) | header.length;
}

constexpr DataHeader decode_message(std::uint64_t header_data) {
  const std::uint64_t kind = header_data >> (kRequestIdBits + kLengthBits);
  return {kind == 0 ? PacketKind::kData : PacketKind::kDatasync, (kind & 2) != 0,
          static_cast<std::uint32_t>(header_data >> kLengthBits) & kMaxRequestId,
          header_data & kMaxLength};
}

// The part of a sequence number that control packets carry.
inline constexpr unsigned kSequenceBits = 64 - kRequestIdBits;
constexpr std::uint64_t short_sequence(std::uint64_t sequence) {
  return sequence & ((std::uint64_t{1} << kSequenceBits) - 1);
}

// The match bits of the get with which a receiver pulls the rest of a message.
constexpr std::uint64_t rest_bits(std::uint32_t request_id, std::uint64_t sequence) {
  return (std::uint64_t{request_id} << kSequenceBits) | short_sequence(sequence);
}

// A control packet.
struct Control {
  PacketKind kind = PacketKind::kSyncack;
  std::uint64_t match_bits = 0;  // of the message; CANCEL only
  std::uint32_t request_id = 0;  // of the message: all but PROTOACK
  std::uint64_t sequence = 0;    // of the message, as short_sequence() has it: all but PROTOACK
  std::uint32_t headers =
      0;  // PROTOACK: messages and bytes that the sender may have under way in addition
  std::uint64_t bytes = 0;
  bool placement = false;  // PROTOACK: long messages may be sent as placed messages
};

inline constexpr unsigned kCreditBits = 40;  // of the bytes; the headers have the other 24
inline constexpr std::uint64_t kMaxCreditBytes = (std::uint64_t{1} << kCreditBits) - 1;
inline constexpr std::uint32_t kMaxCreditHeaders = (std::uint32_t{1} << (64 - kCreditBits)) - 1;

struct EncodedControl {
  std::uint64_t match_bits;
  std::uint64_t header_data;
};

constexpr EncodedControl encode(const Control& control) {
  const std::uint64_t kind = std::uint64_t{static_cast<std::uint8_t>(control.kind)} << 60;
  if (control.kind == PacketKind::kProtoack)
    return {kind | (control.placement ? 1U : 0U),
            (std::uint64_t{control.headers} << kCreditBits) | control.bytes};
  return {kind | control.match_bits,
          (std::uint64_t{control.request_id} << kSequenceBits) | control.sequence};
}

constexpr Control decode_control(const EncodedControl& encoded) {
  Control control;
  control.kind = static_cast<PacketKind>(encoded.match_bits >> 60);
  control.match_bits = encoded.match_bits & ~(std::uint64_t{15} << 60);
  if (control.kind == PacketKind::kProtoack) {
    control.headers = static_cast<std::uint32_t>(encoded.header_data >> kCreditBits);
    control.bytes = encoded.header_data & kMaxCreditBytes;
    control.placement = (encoded.match_bits & 1) != 0;
  } else {
    control.request_id = static_cast<std::uint32_t>(encoded.header_data >> kSequenceBits);
    control.sequence = short_sequence(encoded.header_data);
  }
  return control;
}

}  // namespace lintel::mpi
