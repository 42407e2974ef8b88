// A get and a getput at their target: the matched memory is read (and written), the reply carries what was there (table 4.4).

#include <array>

#include "portals/engine/endpoint.h"

namespace lintel::portals {
namespace {

constexpr std::size_t kSideBufferBytes = 1024;  // for one getput; Limits::max_getput_bytes is at most this

}  // namespace

void Endpoint::on_get(NetworkInterface& interface, transport::PeerId from, const wire::Request& request) {
  const std::optional<Match> matched = match(interface, from, request, option::kGet);
  if (!matched) return;
  const auto [descriptor, acceptance] = *matched;
  wire::Response reply = make_response(interface, wire::MessageKind::kReply, request, acceptance.length);
  Completion completion = interface.open(*descriptor, request_event(request, acceptance), EventKind::kGetStart, EventKind::kGetEnd);
  counters_.add(Counter::kRepliesSent);

  if (acceptance.length <= eager_limit_) {
    counters_.add(Counter::kEagerCopies);
    reply.header.payload_length = static_cast<std::uint32_t>(acceptance.length);
    outbox_.send(from, reply, {.region = &descriptor->region(), .offset = acceptance.offset, .length = acceptance.length, .bytes = {}},
                 &completion);
    return;
  }
  Operation* source = create_operation(Operation::Role::kReplySource, from, interface.kind());
  if (source == nullptr) {
    interface.close(completion, Failure::kFailed);
    // It was accepted, so its initiator must hear of the failure: a reply that names no source has its CLEAR answered by DISCARD.
    reply.header.flags = wire::kFlagAnnounced;
    reply.sender_token = 0;
    outbox_.send(from, reply);
    return;
  }
  source->completion = completion;
  source->source = Operation::Source::kAnnounced;
  source->region = descriptor->region();
  source->offset = acceptance.offset;
  source->length = acceptance.length;
  ++sources_moving_;
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = source->id.packed();
  outbox_.send(from, reply, {}, nullptr, source->id);
}

void Endpoint::on_get_put(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
                          std::span<const std::byte> payload) {
  static_assert(Limits{}.max_getput_bytes <= kSideBufferBytes);
  if (request.length > interface.limits().max_getput_bytes) {
    drop_request(interface, from, request, DropCause::kMalformed);
    return;
  }
  const std::optional<Match> matched = match(interface, from, request, option::kPut | option::kGet);
  if (!matched) return;
  const auto [descriptor, acceptance] = *matched;
  wire::Response reply = make_response(interface, wire::MessageKind::kReply, request, acceptance.length);
  reply.header.payload_length = static_cast<std::uint32_t>(acceptance.length);
  Completion completion = interface.open(*descriptor, request_event(request, acceptance), EventKind::kGetPutStart, EventKind::kGetPutEnd);

  // Under the endpoint's lock, which makes it atomic against every other operation of the engine.
  std::array<std::byte, kSideBufferBytes> old;
  const std::span<std::byte> before(old.data(), acceptance.length);
  descriptor->region().read(acceptance.offset, before);
  descriptor->region().write(acceptance.offset, payload.first(acceptance.length));
  counters_.add(Counter::kRepliesSent);
  outbox_.send(from, reply, {.region = nullptr, .offset = 0, .length = 0, .bytes = before}, &completion);
}

}  // namespace lintel::portals
