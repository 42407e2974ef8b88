#pragma once
// Converts the structs of wire_format.h (fields in host order) to the bytes of a message, and back.
//
// Pure functions: no state, no allocation, any thread. Buffers need no alignment and are not kept.
//
// parse_header checks what arrives. All other functions may be used on a message that it accepts,
// and what they return is consistent (lengths, flags, payload). It checks nothing that needs state:
// the engine finds out whether a token, a handle, a portal index or a process is known.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "portals/engine/wire/wire_format.h"

namespace lintel::portals::wire {

// Request.md_handle of a put that wants no ack
inline constexpr std::uint32_t kNoDescriptor = 0xffffffffU;

// Bytes before the payload of a message with this header; 0 if there is no such kind.
constexpr std::size_t fixed_size(const MessageHeader& header) {
  const auto kind = static_cast<MessageKind>(header.kind);
  // A put without an answer is short, because transports send the shortest messages faster.
  if (kind == MessageKind::kPut && header.flags == 0) return offsetof(Request, md_handle);
  switch (kind) {  // of constants alone: compiled to a table
    case MessageKind::kPut: return offsetof(Request, return_offset);
    case MessageKind::kGet:
    case MessageKind::kGetPut: return offsetof(Request, atomic_operation);
    case MessageKind::kAtomic:
    case MessageKind::kFetchAtomic: return offsetof(Request, operand);
    case MessageKind::kSwap: return sizeof(Request);
    case MessageKind::kAck:
    case MessageKind::kReply: return sizeof(Response);
    case MessageKind::kClear: return sizeof(Clear);
    case MessageKind::kWritten: return sizeof(Written);
    case MessageKind::kDiscard: return sizeof(Discard);
  }
  return 0;
}

// The same of a message that is sent. Only a Request has parts that some kinds leave out.
template <class Fixed>
constexpr std::size_t fixed_size(const Fixed& message) {
  if constexpr (std::is_same_v<Fixed, Request>) return fixed_size(message.header);
  return sizeof message;
}

// Each writes the fixed part to `out`: as many bytes as its struct has, or for a Request
// fixed_size(). The caller has filled in all fields, also header.payload_length: nothing is checked
// or completed. A Clear's segments follow it, the first at out + sizeof(Clear).
void encode(const Request& request, std::byte* out);
void encode(const Response& response, std::byte* out);
void encode(const Clear& clear, std::byte* out);
void encode(const Segment& segment, std::byte* out);
void encode(const Written& written, std::byte* out);
void encode(const Discard& discard, std::byte* out);

// The header in host order if `bytes` are exactly one consistent message; otherwise nullopt.
// Checked:
// (1) the version is kMessageVersion, the kind is known, no flag is set that the kind does not
// have, interface_kind is in range;
// (2) payload_length is what follows the fixed part, and what the kind says of it: PUT: `length`,
// or 0 if announced. GETPUT and the atomic requests: `length`. REPLY: `manipulated_length`, or 0 if
// announced. CLEAR: its segments. GET: 0, or if cleared one whole CLEAR. Else 0;
// (3) PUT, ATOMIC: kFlagAckWanted is set exactly if there is an md_handle and it is not
// kNoDescriptor;
// (4) ACK, REPLY: manipulated_length <= requested_length, and 0 if it tells of a failure; failure
// and list are numbers that the interface has;
// (5) GETPUT is for Portals 3; ATOMIC, FETCH_ATOMIC, SWAP are for Portals 4: the operation goes
// with the datatype, and the data are whole elements, of a conditional swap exactly one;
// (6) CLEAR: at least one segment, none of them empty, and their lengths add up to `length`,
// without overflow;
// (7) GET, if cleared: it is for Portals 4, and its CLEAR is for the same interface, asks for
// `length`, and no other follows.
std::optional<MessageHeader> parse_header(std::span<const std::byte> bytes);
// The same without an optional, for frequent use. False: the bytes are not such a message; `header`
// is then unspecified.
bool parse_header(std::span<const std::byte> bytes, MessageHeader& header);

// REQUIRES for all below: parse_header accepted `bytes`, and the kind is one for which the function
// is named.
// Of all requests. The fields that a PUT does not carry are kNoDescriptor and 0.
Request parse_request(std::span<const std::byte> bytes);
Response parse_response(std::span<const std::byte> bytes);  // ACK, REPLY
Clear parse_clear(std::span<const std::byte> bytes);
Written parse_written(std::span<const std::byte> bytes);
Discard parse_discard(std::span<const std::byte> bytes);

// A DISCARD: the operation of that token gets no further answer.
Discard make_discard(std::uint64_t token);

// Of a CLEAR, whose payload_of is `payload`. REQUIRES: index < its segment_count.
Segment parse_segment(std::span<const std::byte> payload, std::size_t index);

// The bytes after the fixed part: a view into `bytes`, whose header is `header`.
inline std::span<const std::byte> payload_of(std::span<const std::byte> bytes,
                                             const MessageHeader& header) {
  return bytes.subspan(fixed_size(header));
}

}  // namespace lintel::portals::wire
