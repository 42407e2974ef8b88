// Requests that change data at the target: getput of Portals 3; atomic, fetch-atomic and swap of
// Portals 4. The process' lock makes each atomic with respect to every other operation of the
// engine.

#include <algorithm>
#include <array>
#include <cstring>

#include "portals/engine/memory/atomic_operation.h"
#include "portals/engine/protocol/target.h"

namespace lintel::portals {
namespace {

using wire::MessageKind;

constexpr std::size_t kChunkBytes = 1024;  // a multiple of the size of every datatype

// Changes `memory` as the request asks.
void apply(MessageKind kind, const wire::Request& request, std::span<std::byte> memory,
           std::span<const std::byte> data) {
  const auto operation = static_cast<AtomicOp>(request.atomic_operation);
  const auto datatype = static_cast<AtomicDatatype>(request.atomic_datatype);
  switch (kind) {
    case MessageKind::kAtomic:
    case MessageKind::kFetchAtomic: combine(operation, datatype, memory, data); break;
    case MessageKind::kSwap: {
      const auto operand = std::as_bytes(std::span(request.operand))
                               .first(operation == AtomicOp::kSwap ? 0 : size_of(datatype));
      swap(operation, datatype, memory, data, operand);
      break;
    }
    default: std::memcpy(memory.data(), data.data(), memory.size()); break;
  }
}

// Changes the region from `offset` on with all of `data`. `before`, if not null, gets the old data.
// It works in chunks on the stack, because an operation may be as long as a message.
void change(const MemoryRegion& region, std::uint64_t offset, MessageKind kind,
            const wire::Request& request, std::span<const std::byte> data, std::byte* before) {
  std::array<std::byte, kChunkBytes> buffer;
  while (!data.empty()) {
    const std::span<std::byte> chunk = std::span(buffer).first(std::min(kChunkBytes, data.size()));
    region.read(offset, chunk);
    if (before != nullptr) before = std::copy(chunk.begin(), chunk.end(), before);
    apply(kind, request, chunk, data.first(chunk.size()));
    region.write(offset, chunk);
    offset += chunk.size();
    data = data.subspan(chunk.size());
  }
}

}  // namespace

void Target::on_atomic(NetworkInterface& interface, transport::PeerId from,
                       const wire::Request& request, std::span<const std::byte> payload) {
  const std::optional<Match> matched =
      match(interface, from, request, option::kPut,
            size_of(static_cast<AtomicDatatype>(request.atomic_datatype)));
  if (!matched) return;
  const auto [descriptor, acceptance, list] = *matched;
  const bool ack =
      (request.header.flags & wire::kFlagAckWanted) != 0 && !descriptor->has(option::kAckDisable);
  Completion completion =
      open(interface, *matched, request, EventKind::kAtomicEnd, EventKind::kAtomicEnd);
  change(descriptor->region(), acceptance.offset, MessageKind::kAtomic, request,
         payload.first(acceptance.length), nullptr);
  interface.close(std::move(completion), Failure::kNone);
  acknowledge(interface, from, request, *matched, ack);
}

void Target::on_fetch(NetworkInterface& interface, transport::PeerId from, MessageKind kind,
                      const wire::Request& request, std::span<const std::byte> payload) {
  const bool getput = kind == MessageKind::kGetPut;
  // The reply has as many data as the request, and must also fit into a message of this side.
  const std::uint64_t most =
      getput ? interface.limits().max_getput_bytes : max_message_bytes_ - sizeof(wire::Response);
  if (request.length > most) {
    return refuse(interface, from, request, DropCause::kMalformed, Failure::kDropped);
  }
  const std::size_t element =
      getput ? 1 : size_of(static_cast<AtomicDatatype>(request.atomic_datatype));
  // before the match, because there may be no memory
  if (fetched_.size() < request.length) fetched_.resize(request.length);
  const std::optional<Match> matched =
      match(interface, from, request, option::kPut | option::kGet, element);
  if (!matched) return;
  const auto [descriptor, acceptance, list] = *matched;
  wire::Response reply = make_response(interface, MessageKind::kReply, request, *matched);
  reply.header.payload_length = static_cast<std::uint32_t>(acceptance.length);
  Completion completion =
      getput ? open(interface, *matched, request, EventKind::kGetPutStart, EventKind::kGetPutEnd)
             : open(interface, *matched, request, EventKind::kFetchAtomicEnd,
                    EventKind::kFetchAtomicEnd);
  const std::span<std::byte> before = std::span(fetched_).first(acceptance.length);
  change(descriptor->region(), acceptance.offset, kind, request, payload.first(acceptance.length),
         before.data());
  counters_.add(Counter::kRepliesSent);
  reply_with(from, reply, {.region = nullptr, .offset = 0, .length = 0, .bytes = before},
             completion);
}

}  // namespace lintel::portals
