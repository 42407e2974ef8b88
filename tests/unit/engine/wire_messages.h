#pragma once
// Messages for the tests of the codec: valid ones, and functions that make them invalid.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "portals/engine/values/interface_kind.h"
#include "portals/engine/wire/wire_codec.h"

namespace lintel::test {

using namespace portals::wire;
using portals::kHighestInterfaceKind;
using portals::kPortals3Kind;
using Bytes = std::vector<std::byte>;

inline MessageHeader header(MessageKind kind, unsigned flags = 0,
                            std::uint32_t payload_length = 0) {
  return {kMessageVersion, static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(flags), 0,
          payload_length};
}

inline constexpr unsigned kAnInterface = 3;  // of Portals 4

template <class T>
inline Bytes message(const T& fixed, std::size_t payload_bytes = 0) {
  Bytes bytes(fixed_size(fixed.header) + payload_bytes);
  encode(fixed, bytes.data());
  return bytes;
}

inline Request put(std::uint64_t length) {
  Request request{};
  request.header = header(MessageKind::kPut, kFlagTracked, static_cast<std::uint32_t>(length));
  request.length = length;
  request.md_handle = kNoDescriptor;
  return request;
}

inline Request get(std::uint64_t length) {
  Request request{};
  request.header = header(MessageKind::kGet, kFlagTracked);
  request.length = length;
  return request;
}

inline Request getput(std::uint64_t length) {
  Request request{};
  request.header = header(MessageKind::kGetPut, kFlagTracked, static_cast<std::uint32_t>(length));
  request.length = length;
  return request;
}

inline Response ack(std::uint64_t requested, std::uint64_t manipulated) {
  Response response{};
  response.header = header(MessageKind::kAck);
  response.requested_length = requested;
  response.manipulated_length = manipulated;
  return response;
}

inline Response reply(std::uint64_t requested, std::uint64_t manipulated) {
  Response response = ack(requested, manipulated);
  response.header = header(MessageKind::kReply, 0, static_cast<std::uint32_t>(manipulated));
  return response;
}

// A CLEAR of `length` bytes with segments of these lengths.
inline Bytes clear(std::uint64_t length, const std::vector<std::uint64_t>& segment_lengths) {
  Clear fixed{};
  fixed.segment_count = static_cast<std::uint32_t>(segment_lengths.size());
  fixed.header = header(MessageKind::kClear, 0,
                        static_cast<std::uint32_t>(segment_lengths.size() * sizeof(Segment)));
  fixed.length = length;
  Bytes bytes = message(fixed, segment_lengths.size() * sizeof(Segment));
  for (std::size_t i = 0; i < segment_lengths.size(); ++i) {
    encode(Segment{i, 0x1000 * i, segment_lengths[i]},
           bytes.data() + sizeof(Clear) + i * sizeof(Segment));
  }
  return bytes;
}

inline bool accepted(const Bytes& bytes) { return parse_header(bytes).has_value(); }

inline Bytes with_byte(Bytes bytes, std::size_t offset, unsigned value) {
  bytes[offset] = static_cast<std::byte>(value);
  return bytes;
}

// A get of Portals 4 with `payload` as its CLEAR.
inline Bytes cleared_get(std::uint64_t length, const Bytes& payload,
                         unsigned interface_kind = kAnInterface) {
  Request request = get(length);
  request.header.flags |= kFlagCleared;
  request.header.interface_kind = static_cast<std::uint8_t>(interface_kind);
  request.header.payload_length = static_cast<std::uint32_t>(payload.size());
  Bytes bytes = message(request);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

// The CLEAR of such a get.
inline Bytes clear_of_get(std::uint64_t length, const std::vector<std::uint64_t>& segment_lengths,
                          unsigned interface_kind = kAnInterface) {
  return with_byte(clear(length, segment_lengths), offsetof(MessageHeader, interface_kind),
                   interface_kind);
}

inline std::vector<Bytes> one_of_each_kind() {
  return {message(put(3), 3),
          message(ack(3, 3)),
          message(get(3)),
          cleared_get(3, clear_of_get(3, {1, 2})),
          message(reply(3, 2), 2),
          message(getput(3), 3),
          clear(3, {1, 2}),
          message(Written{header(MessageKind::kWritten), 1, 2}),
          message(Discard{header(MessageKind::kDiscard), 1})};
}

}  // namespace lintel::test
