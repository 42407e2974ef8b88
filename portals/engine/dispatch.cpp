// Arriving messages: which are sound, which interface and which part of the engine they are for.

#include "portals/engine/endpoint.h"

namespace lintel::portals {
namespace {

Counter counter_of(DropCause cause) {
  static constexpr Counter kCounters[] = {Counter::kDropsBadPortalIndex, Counter::kDropsBadCookie,   Counter::kDropsAccessDenied,
                                          Counter::kDropsNoMatch,        Counter::kDropsStaleHandle, Counter::kDropsMalformed};
  return kCounters[static_cast<std::size_t>(cause)];
}

}  // namespace

void Endpoint::on_message(transport::PeerId from, std::span<const std::byte> message) {
  counters_.add(Counter::kMessagesReceived);
  const std::optional<wire::MessageHeader> header = wire::parse_header(message);
  if (!header) {
    drop_foreign(DropCause::kMalformed, 0);
    return;
  }
  const auto kind = static_cast<wire::MessageKind>(header->kind);
  const std::span<const std::byte> payload = wire::payload_of(message, kind);
  counters_.add(Counter::kBytesReceived, payload.size());
  switch (kind) {
    case wire::MessageKind::kPut:
    case wire::MessageKind::kGet:
    case wire::MessageKind::kGetPut: on_request(from, kind, wire::parse_request(message), payload); break;
    case wire::MessageKind::kAck: on_ack(from, wire::parse_response(message)); break;
    case wire::MessageKind::kReply: on_reply(from, wire::parse_response(message), payload); break;
    case wire::MessageKind::kClear: on_clear(from, wire::parse_clear(message), payload); break;
    case wire::MessageKind::kWritten: on_written(from, wire::parse_written(message)); break;
    case wire::MessageKind::kDiscard: on_discard(from, wire::parse_discard(message)); break;
  }
}

// A message that names no interface of this process is counted on the first there is, so that it is not lost silently.
void Endpoint::drop_foreign(DropCause cause, std::uint64_t bytes) {
  counters_.add(cause == DropCause::kPortalIndex ? Counter::kDropsNoInterface : counter_of(cause));
  for (NetworkInterface* interface : interfaces_) {
    if (interface == nullptr) continue;
    interface->registers().drop(cause, bytes);
    return;
  }
}

void Endpoint::discard(transport::PeerId to, std::uint64_t token) {
  wire::Discard message{};
  message.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kDiscard), 0, 0, 0};
  message.token = token;
  outbox_.send(to, message);
}

void Endpoint::drop_request(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, DropCause cause) {
  counters_.add(counter_of(cause));
  interface.registers().drop(cause, request.length);
  // Not a negative acknowledgement: the initiator's program hears nothing, its engine may forget the request.
  if ((request.header.flags & (wire::kFlagTracked | wire::kFlagAnnounced)) != 0) discard(from, request.sender_token);
}

void Endpoint::on_request(transport::PeerId from, wire::MessageKind kind, const wire::Request& request,
                          std::span<const std::byte> payload) {
  const ProcessId target{NodeId(request.target_nid), Pid(request.target_pid)};
  const ProcessId initiator{NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  NetworkInterface* interface = interfaces_[request.header.interface_kind];
  if (interface == nullptr || target != interface->identity().process || initiator != transport_->name_of(from)) {
    drop_foreign(interface == nullptr ? DropCause::kPortalIndex : DropCause::kMalformed, request.length);
    if ((request.header.flags & (wire::kFlagTracked | wire::kFlagAnnounced)) != 0) discard(from, request.sender_token);
    return;
  }
  switch (kind) {
    case wire::MessageKind::kPut:
      counters_.add(Counter::kPutsReceived);
      on_put(*interface, from, request, payload);
      break;
    case wire::MessageKind::kGet:
      counters_.add(Counter::kGetsReceived);
      on_get(*interface, from, request);
      break;
    default:
      counters_.add(Counter::kGetPutsReceived);
      on_get_put(*interface, from, request, payload);
      break;
  }
}

// The other side has dropped the message that named this operation, or has nothing more to say about it.
void Endpoint::on_discard(transport::PeerId from, const wire::Discard& message) {
  Operation* record = operation(message.token, from);
  if (record == nullptr) return;  // it has ended meanwhile
  switch (record->role) {
    case Operation::Role::kPut:
    case Operation::Role::kReplySource:
      record->answered = true;
      if (record->source == Operation::Source::kAnnounced) {
        // Nobody wants the data: they count as sent.
        finish_source(*record);
      } else if (record->source != Operation::Source::kWriting) {
        destroy_operation(*record);
      }
      break;
    case Operation::Role::kGet:
    case Operation::Role::kGetPut: destroy_operation(*record); break;
    case Operation::Role::kSink: fail_operation(*record, Failure::kFailed); break;
  }
}

}  // namespace lintel::portals
