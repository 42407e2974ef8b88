// libFuzzer entry: what parse_header accepts can be read in full, and is encoded to the same bytes
// again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "portals/engine/values/interface_kind.h"
#include "portals/engine/wire/wire_codec.h"

namespace {

using namespace lintel::portals::wire;
using lintel::portals::kPortals3Kind;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void require_same_bytes(const T& value, std::span<const std::byte> bytes,
                        std::size_t size = sizeof(T)) {
  // of exactly this size, so that a write beyond its end is detected
  const std::unique_ptr<std::byte[]> again(new std::byte[size]);
  encode(value, again.get());
  require(std::memcmp(again.get(), bytes.data(), size) == 0);
}

void require_payload_readable(std::span<const std::byte> payload) {
  const std::vector<std::byte> copy(payload.begin(), payload.end());
  require(copy.size() == payload.size());
}

void read_all(const MessageHeader& header, std::span<const std::byte> bytes);

// The CLEAR in a get is a message of its own, sent with the get.
void read_clear_of_get(const MessageHeader& get, const Request& request,
                       std::span<const std::byte> message) {
  const auto header = parse_header(message);
  require(header && header->kind == static_cast<std::uint8_t>(MessageKind::kClear));
  require(header->flags == 0 && header->interface_kind == get.interface_kind);
  require(parse_clear(message).length == request.length);
  read_all(*header, message);
}

void read_all(const MessageHeader& header, std::span<const std::byte> bytes) {
  const auto kind = static_cast<MessageKind>(header.kind);
  const auto payload = payload_of(bytes, header);
  require(payload.size() == header.payload_length);
  require(fixed_size(header) + payload.size() == bytes.size());
  require_payload_readable(payload);
  switch (kind) {
    case MessageKind::kPut:
    case MessageKind::kGet:
    case MessageKind::kGetPut:
    case MessageKind::kAtomic:
    case MessageKind::kFetchAtomic:
    case MessageKind::kSwap: {
      const Request request = parse_request(bytes);
      require_same_bytes(request, bytes, fixed_size(header));
      if ((header.flags & kFlagCleared) != 0) {
        require(kind == MessageKind::kGet && header.interface_kind != kPortals3Kind);
        read_clear_of_get(header, request, payload);
      } else {
        require(payload.empty() || payload.size() == request.length);
      }
      return;
    }
    case MessageKind::kAck:
    case MessageKind::kReply: {
      const Response response = parse_response(bytes);
      require(response.manipulated_length <= response.requested_length);
      require(payload.empty() || payload.size() == response.manipulated_length);
      require_same_bytes(response, bytes);
      return;
    }
    case MessageKind::kClear: {
      const Clear clear = parse_clear(bytes);
      require_same_bytes(clear, bytes);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < clear.segment_count; ++i) {
        const Segment segment = parse_segment(payload, i);
        require_same_bytes(segment, payload.subspan(i * sizeof(Segment)));
        require(segment.length <= clear.length - sum);
        sum += segment.length;
      }
      require(sum == clear.length);
      return;
    }
    case MessageKind::kWritten: require_same_bytes(parse_written(bytes), bytes); return;
    case MessageKind::kDiscard: require_same_bytes(parse_discard(bytes), bytes); return;
  }
  std::abort();  // accepted, but of no known kind
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that a read beyond its end is detected.
  const std::unique_ptr<std::byte[]> bytes(new std::byte[size]);
  if (size != 0) std::memcpy(bytes.get(), data, size);
  const std::span<const std::byte> message(bytes.get(), size);
  if (const auto header = parse_header(message)) read_all(*header, message);
  return 0;
}
