// A get at its target: reads the matched memory and sends the data in the reply (table 4.4).

#include <new>

#include "portals/engine/protocol/target.h"

namespace lintel::portals {
namespace {

// Whether the reply would tell the initiator nothing that the writes do not tell it.
bool as_asked(const wire::Request& request, const wire::Response& reply) {
  return reply.manipulated_length == request.length && reply.offset == request.offset &&
         static_cast<PortalList>(reply.list) == PortalList::kPriority;
}

}  // namespace

// Sends the reply. If there is no memory for it, the descriptor is released before the peer is
// given up.
void Target::reply_with(transport::PeerId to, const wire::Response& reply, const Payload& payload,
                        Completion& completion) {
  try {
    outbox_.send(to, reply, payload, &completion);
  } catch (const std::bad_alloc&) {
    completion.interface->close(std::move(completion), Failure::kFailed);
    throw;
  }
}

void Target::on_get(NetworkInterface& interface, transport::PeerId from,
                    const wire::Request& request, std::span<const std::byte> clear) {
  const std::optional<Match> matched = match(interface, from, request, option::kGet);
  if (!matched) return;
  const auto [descriptor, acceptance, list] = *matched;
  wire::Response reply = make_response(interface, wire::MessageKind::kReply, request, *matched);
  Completion completion =
      open(interface, *matched, request, EventKind::kGetStart, EventKind::kGetEnd);
  counters_.add(Counter::kRepliesSent);

  if (acceptance.length <= limits_.reply(interface.rules().reply_limit)) {
    counters_.add(Counter::kEagerCopies);
    reply.header.payload_length = static_cast<std::uint32_t>(acceptance.length);
    Payload payload;  // 0 bytes, possibly beyond the end
    if (acceptance.length > 0)
      payload = {.region = &descriptor->region(),
                 .offset = acceptance.offset,
                 .length = acceptance.length,
                 .bytes = {}};
    return reply_with(from, reply, payload, completion);
  }
  Operation* operation = operations_.create(from, interface.kind(), false);
  try {
    const Transfers::RegionPart place{&descriptor->region(), acceptance.offset, acceptance.length};
    if (operation != nullptr) transfers_.begin_source(*operation, place, std::move(completion));
  } catch (const std::bad_alloc&) {
    operations_.release(*operation);
    operation = nullptr;
  }
  if (operation == nullptr) {
    counters_.add(Counter::kOperationsRefused);
    interface.close(std::move(completion), Failure::kFailed);
    // The request was accepted, so the initiator must learn of the failure: the reply names no
    // source, so its CLEAR is answered by DISCARD.
    reply.header.flags = wire::kFlagAnnounced;
    reply.sender_token = 0;
    outbox_.send(from, reply);
    return;
  }
  if (!clear.empty() && as_asked(request, reply)) {
    const wire::Clear message = wire::parse_clear(clear);
    transfers_.clear(*operation, message, wire::payload_of(clear, message.header));
    return;
  }
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = operation->id.packed();
  outbox_.send(from, reply, {}, nullptr, operation);
}

}  // namespace lintel::portals
