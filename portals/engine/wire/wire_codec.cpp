#include "portals/engine/wire/wire_codec.h"

#include <concepts>
#include <cstring>
#include <type_traits>

#include "base/network_order.h"
#include "portals/engine/events/event.h"
#include "portals/engine/memory/atomic_operation.h"
#include "portals/engine/values/interface_kind.h"

namespace lintel::portals::wire {
namespace {

// each_field() calls `each` with each field of a message. M is its struct, const or not. A message
// is written field by field, and not as a whole after its fields were converted, because the
// processor stalls when bytes that were written in pieces are read as a whole soon after. A number
// is its own only field.
template <std::integral Number, class Each>
void each_field(Number& number, Each each) {
  each(number);
}

template <class M, class Message>
concept Of = std::is_same_v<std::remove_const_t<M>, Message>;

template <class Each, class... Fields>
void each_of(Each each, Fields&... fields) {
  (each(fields), ...);
}

template <Of<MessageHeader> M, class Each>
void each_field(M& m, Each each) {
  each_of(each, m.version, m.kind, m.flags, m.interface_kind, m.payload_length);
}

template <Of<Response> M, class Each>
void each_field(M& m, Each each) {
  each_field(m.header, each);
  each_of(each, m.initiator_nid, m.initiator_pid, m.user, m.job, m.target_nid, m.target_pid,
          m.portal_index, m.failure, m.list, m.reserved, m.match_bits, m.offset, m.requested_length,
          m.manipulated_length, m.md_handle, m.md_generation, m.return_offset, m.request_token,
          m.sender_token);
}

template <Of<Clear> M, class Each>
void each_field(M& m, Each each) {
  each_field(m.header, each);
  each_of(each, m.source_token, m.receiver_token, m.length, m.immediate, m.segment_count);
}

template <Of<Segment> M, class Each>
void each_field(M& m, Each each) {
  each_of(each, m.key, m.address, m.length);
}

template <Of<Written> M, class Each>
void each_field(M& m, Each each) {
  each_field(m.header, each);
  each_of(each, m.receiver_token, m.write_count);
}

template <Of<Discard> M, class Each>
void each_field(M& m, Each each) {
  each_field(m.header, each);
  each(m.token);
}

// Of a Request of `size` bytes: each part ends where some kind of message ends (fixed_size()). The
// last two parts are single bytes: copy_atomic_parts().
template <Of<Request> M, class Each>
void each_field(M& m, std::size_t size, Each each) {
  each_field(m.header, each);
  each_of(each, m.initiator_nid, m.initiator_pid, m.user, m.job, m.target_nid, m.target_pid,
          m.portal_index, m.cookie, m.match_bits, m.offset, m.length, m.header_data);
  if (size > offsetof(Request, md_handle))
    each_of(each, m.md_handle, m.md_generation, m.sender_token);
  if (size > offsetof(Request, return_offset)) each(m.return_offset);
}

// What each_field() calls to write `message` to `out`.
template <class Message>
auto writer(const Message& message, std::byte* out) {
  return [out, begin = reinterpret_cast<const std::byte*>(&message)](const auto& field) {
    const auto ordered = network_order(field);
    std::memcpy(out + (reinterpret_cast<const std::byte*>(&field) - begin), &ordered,
                sizeof ordered);
  };
}

template <class Message>
void store(const Message& message, std::byte* out) {
  each_field(message, writer(message, out));
}

template <class Message>
Message load(const std::byte* from) {
  Message message;
  std::memcpy(&message, from, sizeof message);
  each_field(message, [](auto& field) { field = network_order(field); });
  return message;
}

template <std::size_t Begin, std::size_t End>
void copy_part(void* to, const void* from) {
  std::memcpy(static_cast<std::byte*>(to) + Begin, static_cast<const std::byte*>(from) + Begin,
              End - Begin);
}

void copy_atomic_parts(void* to, const void* from, std::size_t size) {
  if (size > offsetof(Request, atomic_operation))
    copy_part<offsetof(Request, atomic_operation), offsetof(Request, operand)>(to, from);
  if (size > offsetof(Request, operand))
    copy_part<offsetof(Request, operand), sizeof(Request)>(to, from);
}

// Reads one field, for checks that need no other.
template <class T>
T load_at(std::span<const std::byte> bytes, std::size_t offset) {
  return load<T>(bytes.data() + offset);
}

constexpr unsigned allowed_flags(MessageKind kind) {
  switch (kind) {
    case MessageKind::kPut: return kFlagAckWanted | kFlagAnnounced | kFlagTracked;
    case MessageKind::kAtomic: return kFlagAckWanted | kFlagTracked;
    case MessageKind::kGet: return kFlagTracked | kFlagCleared;
    case MessageKind::kGetPut:
    case MessageKind::kFetchAtomic:
    case MessageKind::kSwap: return kFlagTracked;
    case MessageKind::kReply: return kFlagAnnounced;
    case MessageKind::kClear: return kFlagMore;
    case MessageKind::kAck:
    case MessageKind::kWritten:
    case MessageKind::kDiscard: return 0;
  }
  return 0;
}

bool put_agrees(const MessageHeader& header, std::span<const std::byte> bytes) {
  const bool ack_wanted = (header.flags & kFlagAckWanted) != 0;
  const bool has_handle = fixed_size(header) > offsetof(Request, md_handle);
  if (has_handle &&
      ack_wanted == (load_at<std::uint32_t>(bytes, offsetof(Request, md_handle)) == kNoDescriptor))
    return false;
  if ((header.flags & kFlagAnnounced) != 0) return header.payload_length == 0;
  return header.payload_length == load_at<std::uint64_t>(bytes, offsetof(Request, length));
}

AtomicCall call_of(MessageKind kind) {
  return kind == MessageKind::kAtomic ? AtomicCall::kAtomic
         : kind == MessageKind::kSwap ? AtomicCall::kSwap
                                      : AtomicCall::kFetchAtomic;
}

bool atomic_agrees(const MessageHeader& header, std::span<const std::byte> bytes) {
  if (header.interface_kind == kPortals3Kind) return false;
  const auto kind = static_cast<MessageKind>(header.kind);
  const auto operation =
      static_cast<AtomicOp>(load_at<std::uint8_t>(bytes, offsetof(Request, atomic_operation)));
  const auto datatype =
      static_cast<AtomicDatatype>(load_at<std::uint8_t>(bytes, offsetof(Request, atomic_datatype)));
  const auto length = load_at<std::uint64_t>(bytes, offsetof(Request, length));
  if (length != header.payload_length || !is_sound(call_of(kind), operation, datatype, length))
    return false;
  return kind != MessageKind::kAtomic || put_agrees(header, bytes);
}

bool response_agrees(const MessageHeader& header, std::span<const std::byte> bytes,
                     bool carries_data) {
  const auto manipulated = load_at<std::uint64_t>(bytes, offsetof(Response, manipulated_length));
  if (manipulated > load_at<std::uint64_t>(bytes, offsetof(Response, requested_length)))
    return false;
  const auto failure = load_at<std::uint8_t>(bytes, offsetof(Response, failure));
  const auto list = load_at<std::uint8_t>(bytes, offsetof(Response, list));
  if (header.interface_kind == kPortals3Kind ? failure != 0 || list != 0
                                             : failure > kHighestFailureOnWire || list > 1)
    return false;
  if (failure != 0 && manipulated != 0) return false;
  return header.payload_length == (carries_data ? manipulated : 0);
}

bool clear_agrees(const MessageHeader& header, std::span<const std::byte> bytes) {
  const Clear clear = parse_clear(bytes);
  if (clear.segment_count == 0 || clear.segment_count > kMostSegments ||
      header.payload_length != std::uint64_t{clear.segment_count} * sizeof(Segment))
    return false;
  std::uint64_t missing = clear.length;
  for (std::size_t offset = sizeof(Clear); offset < bytes.size(); offset += sizeof(Segment)) {
    const auto length = load_at<std::uint64_t>(bytes, offset + offsetof(Segment, length));
    if (length == 0 || length > missing) return false;
    missing -= length;
  }
  return missing == 0;
}

bool get_agrees(const MessageHeader& header, std::span<const std::byte> bytes) {
  if ((header.flags & kFlagCleared) == 0) return header.payload_length == 0;
  if (header.interface_kind == kPortals3Kind) return false;
  const std::span<const std::byte> payload = payload_of(bytes, header);
  if (payload.size() < sizeof(MessageHeader)) return false;
  // Checked before the rest, so that a get inside a get inside a get is not parsed.
  const bool is_clear = load_at<std::uint8_t>(payload, offsetof(MessageHeader, kind)) ==
                        static_cast<std::uint8_t>(MessageKind::kClear);
  const std::optional<MessageHeader> clear = is_clear ? parse_header(payload) : std::nullopt;
  return clear && clear->flags == 0 && clear->interface_kind == header.interface_kind &&
         parse_clear(payload).length == load_at<std::uint64_t>(bytes, offsetof(Request, length));
}

}  // namespace

void encode(const Request& request, std::byte* out) {
  const std::size_t size = fixed_size(request.header);
  each_field(request, size, writer(request, out));
  copy_atomic_parts(out, &request, size);
}
void encode(const Response& response, std::byte* out) { store(response, out); }
void encode(const Clear& clear, std::byte* out) { store(clear, out); }
void encode(const Segment& segment, std::byte* out) { store(segment, out); }
void encode(const Written& written, std::byte* out) { store(written, out); }
void encode(const Discard& discard, std::byte* out) { store(discard, out); }

std::optional<MessageHeader> parse_header(std::span<const std::byte> bytes) {
  MessageHeader header;
  return parse_header(bytes, header) ? std::optional(header) : std::nullopt;
}

bool parse_header(std::span<const std::byte> bytes, MessageHeader& header) {
  if (bytes.size() < sizeof(MessageHeader)) return false;
  header = load<MessageHeader>(bytes.data());
  const auto kind = static_cast<MessageKind>(header.kind);
  const std::size_t fixed = fixed_size(header);
  if (header.version != kMessageVersion || fixed == 0 || bytes.size() < fixed ||
      bytes.size() - fixed != header.payload_length || (header.flags & ~allowed_flags(kind)) != 0 ||
      header.interface_kind > kHighestInterfaceKind) {
    return false;
  }
  switch (kind) {
    case MessageKind::kPut: return put_agrees(header, bytes);
    case MessageKind::kGetPut:
      return header.interface_kind == kPortals3Kind &&
             header.payload_length == load_at<std::uint64_t>(bytes, offsetof(Request, length));
    case MessageKind::kAtomic:
    case MessageKind::kFetchAtomic:
    case MessageKind::kSwap: return atomic_agrees(header, bytes);
    case MessageKind::kAck: return response_agrees(header, bytes, false);
    case MessageKind::kReply:
      return response_agrees(header, bytes, (header.flags & kFlagAnnounced) == 0);
    case MessageKind::kClear: return clear_agrees(header, bytes);
    case MessageKind::kGet: return get_agrees(header, bytes);
    case MessageKind::kWritten:
    case MessageKind::kDiscard: return header.payload_length == 0;
  }
  return false;
}

Request parse_request(std::span<const std::byte> bytes) {
  Request request{};
  request.md_handle = kNoDescriptor;
  const std::size_t size =
      fixed_size({kMessageVersion, load_at<std::uint8_t>(bytes, offsetof(MessageHeader, kind)),
                  load_at<std::uint8_t>(bytes, offsetof(MessageHeader, flags)), 0, 0});
  const auto* const begin = reinterpret_cast<std::byte*>(&request);
  each_field(request, size, [&](auto& field) {
    field = load<std::remove_reference_t<decltype(field)>>(
        bytes.data() + (reinterpret_cast<std::byte*>(&field) - begin));
  });
  copy_atomic_parts(&request, bytes.data(), size);
  return request;
}
Response parse_response(std::span<const std::byte> bytes) { return load<Response>(bytes.data()); }
Clear parse_clear(std::span<const std::byte> bytes) { return load<Clear>(bytes.data()); }
Written parse_written(std::span<const std::byte> bytes) { return load<Written>(bytes.data()); }
Discard parse_discard(std::span<const std::byte> bytes) { return load<Discard>(bytes.data()); }

Discard make_discard(std::uint64_t token) {
  Discard message{};
  message.header = {kMessageVersion, static_cast<std::uint8_t>(MessageKind::kDiscard), 0, 0, 0};
  message.token = token;
  return message;
}

Segment parse_segment(std::span<const std::byte> payload, std::size_t index) {
  return load<Segment>(payload.data() + index * sizeof(Segment));
}

}  // namespace lintel::portals::wire
