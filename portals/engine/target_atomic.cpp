// Requests that change what they find: getput of Portals 3, atomic, fetch-atomic and swap of Portals 4. Under the endpoint's lock, which makes each atomic
// against every other operation of the engine.

#include <array>
#include <cstring>

#include "portals/engine/atomic_operation.h"
#include "portals/engine/endpoint.h"

namespace lintel::portals {
namespace {

using wire::MessageKind;

constexpr std::size_t kSideBufferBytes = 1024;  // Limits::max_getput_bytes and max_atomic_bytes are at most this
static_assert(Limits{}.max_getput_bytes <= kSideBufferBytes && Limits{}.max_atomic_bytes <= kSideBufferBytes &&
              Limits{}.max_fetch_bytes <= kSideBufferBytes);

using SideBuffer = std::array<std::byte, kSideBufferBytes>;

// What `memory` becomes.
void apply(MessageKind kind, const wire::Request& request, std::span<std::byte> memory, std::span<const std::byte> data) {
  if (memory.empty()) return;
  const auto operation = static_cast<AtomicOp>(request.atomic_operation);
  const auto datatype = static_cast<Datatype>(request.atomic_datatype);
  switch (kind) {
    case MessageKind::kAtomic:
    case MessageKind::kFetchAtomic: combine(operation, datatype, memory, data); break;
    case MessageKind::kSwap: {
      const auto operand = std::as_bytes(std::span(request.operand)).first(operation == AtomicOp::kSwap ? 0 : size_of(datatype));
      swap(operation, datatype, memory, data, operand);
      break;
    }
    default: std::memcpy(memory.data(), data.data(), memory.size()); break;
  }
}

}  // namespace

void Endpoint::on_atomic(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
                         std::span<const std::byte> payload) {
  if (request.length > kSideBufferBytes) {
    return refuse_request(interface, from, request, DropCause::kMalformed, Failure::kDropped);
  }
  const std::optional<Match> matched =
      match(interface, from, request, option::kPut, size_of(static_cast<Datatype>(request.atomic_datatype)));
  if (!matched) return;
  const auto [descriptor, acceptance, list] = *matched;
  const bool ack = (request.header.flags & wire::kFlagAckWanted) != 0 && !descriptor->has(option::kAckDisable);
  Completion completion = open_target(interface, *matched, request, EventKind::kAtomicEnd, EventKind::kAtomicEnd);
  if (acceptance.length > 0) {
    SideBuffer side;
    const std::span<std::byte> memory = std::span(side).first(acceptance.length);
    descriptor->region().read(acceptance.offset, memory);
    apply(MessageKind::kAtomic, request, memory, payload.first(acceptance.length));
    descriptor->region().write(acceptance.offset, memory);
  }
  interface.close(completion, Failure::kNone);
  acknowledge(interface, from, request, *matched, ack);
}

void Endpoint::on_fetch(NetworkInterface& interface, transport::PeerId from, MessageKind kind, const wire::Request& request,
                        std::span<const std::byte> payload) {
  const bool getput = kind == MessageKind::kGetPut;
  if (request.length > (getput ? interface.limits().max_getput_bytes : kSideBufferBytes)) {
    return refuse_request(interface, from, request, DropCause::kMalformed, Failure::kDropped);
  }
  const std::size_t element = getput ? 1 : size_of(static_cast<Datatype>(request.atomic_datatype));
  const std::optional<Match> matched = match(interface, from, request, option::kPut | option::kGet, element);
  if (!matched) return;
  const auto [descriptor, acceptance, list] = *matched;
  wire::Response reply = make_response(interface, MessageKind::kReply, request, *matched);
  reply.header.payload_length = static_cast<std::uint32_t>(acceptance.length);
  Completion completion = getput ? open_target(interface, *matched, request, EventKind::kGetPutStart, EventKind::kGetPutEnd)
                                 : open_target(interface, *matched, request, EventKind::kFetchAtomicEnd, EventKind::kFetchAtomicEnd);
  SideBuffer side;
  const std::span<std::byte> before = std::span(side).first(acceptance.length);
  if (acceptance.length > 0) {
    descriptor->region().read(acceptance.offset, before);
    SideBuffer changed = side;
    const std::span<std::byte> after = std::span(changed).first(acceptance.length);
    apply(kind, request, after, payload.first(acceptance.length));
    descriptor->region().write(acceptance.offset, after);
  }
  counters_.add(Counter::kRepliesSent);
  outbox_.send(from, reply, {.region = nullptr, .offset = 0, .length = 0, .bytes = before}, &completion);
}

}  // namespace lintel::portals
