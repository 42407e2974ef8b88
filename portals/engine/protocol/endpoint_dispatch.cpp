// Messages that arrive: checks them, and passes them to the interface and the part of the engine
// that they are for.

#include <new>

#include "portals/engine/interface/drop_counter.h"
#include "portals/engine/protocol/endpoint.h"

namespace lintel::portals {

template <class Handle>
void Endpoint::with_memory(transport::PeerId from, Handle&& handle) {
  if (from == given_up_ && from != transport::kNoPeer) [[unlikely]]
    return;
  try {
    handle();
  } catch (const std::bad_alloc&) {
    return no_memory_for(from);
  }
  // At once, because there may be more of its requests in this frame and this turn.
  if (outbox_.answers().overdrawn() == from && from != transport::kNoPeer) [[unlikely]] {
    given_up_ = from;
    give_up_overdrawn(from);
  }
}

void Endpoint::on_message(transport::PeerId from, std::span<const std::byte> message) {
  with_memory(from, [&]() LINTEL_REQUIRES(kLock) { dispatch(from, message); });
}

void Endpoint::dispatch(transport::PeerId from, std::span<const std::byte> message) {
  counters_.add(Counter::kMessagesReceived);
  peers_.note_message(from);
  wire::MessageHeader header;
  if (!wire::parse_header(message, header)) {
    drop_foreign(DropCause::kMalformed, 0);
    return;
  }
  const auto kind = static_cast<wire::MessageKind>(header.kind);
  const std::span<const std::byte> payload = wire::payload_of(message, header);
  counters_.add(Counter::kBytesReceived, payload.size());
  switch (kind) {
    case wire::MessageKind::kPut:
    case wire::MessageKind::kGet:
    case wire::MessageKind::kGetPut:
    case wire::MessageKind::kAtomic:
    case wire::MessageKind::kFetchAtomic:
    case wire::MessageKind::kSwap:
      on_request(from, kind, wire::parse_request(message), payload);
      break;
    case wire::MessageKind::kAck: initiator_.on_ack(from, wire::parse_response(message)); break;
    case wire::MessageKind::kReply:
      initiator_.on_reply(from, wire::parse_response(message), payload);
      break;
    case wire::MessageKind::kClear: on_clear(from, wire::parse_clear(message), payload); break;
    case wire::MessageKind::kWritten: on_written(from, wire::parse_written(message)); break;
    case wire::MessageKind::kDiscard: on_discard(from, wire::parse_discard(message).token); break;
  }
}

void Endpoint::on_placed_message(transport::PeerId from, std::span<const std::byte> message,
                                 const transport::PlacedPayload& payload) {
  counters_.add(Counter::kMessagesReceived);
  wire::MessageHeader header;
  if (!wire::parse_header(message, header) ||
      header.kind != static_cast<std::uint8_t>(wire::MessageKind::kPut) ||
      header.flags != wire::kFlagAnnounced) {
    return drop_foreign(DropCause::kMalformed, payload.length);
  }
  wire::Request request = wire::parse_request(message);
  if (request.length != payload.length) return drop_foreign(DropCause::kMalformed, payload.length);
  request.header.flags = 0;  // the data are here, and no answer is wanted
  counters_.add(Counter::kBytesReceived, payload.length);
  with_memory(from, [&]() LINTEL_REQUIRES(kLock) {
    on_request(from, wire::MessageKind::kPut, request, payload.bytes);
  });
}

void Endpoint::drop_foreign(DropCause cause, std::uint64_t bytes) {
  counters_.add(cause == DropCause::kPortalIndex ? Counter::kDropsNoInterface : counter_of(cause));
  interfaces_.drop_foreign(cause, bytes);
}

void Endpoint::on_request(transport::PeerId from, wire::MessageKind kind,
                          const wire::Request& request, std::span<const std::byte> payload) {
  if (closing_.of_last()) {
    // No answer: the end of the session follows soon and tells the initiator.
    drop_foreign(DropCause::kPortalIndex, request.length);
    return;
  }
  const ProcessId target{NodeId(request.target_nid), Pid(request.target_pid)};
  const ProcessId initiator{NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  NetworkInterface* interface = interfaces_.taking_requests(request.header.interface_kind);
  if (interface == nullptr || target != interface->identity().process ||
      initiator != peers_.name_of(from)) {
    drop_foreign(interface == nullptr ? DropCause::kPortalIndex : DropCause::kMalformed,
                 request.length);
    target_.answer_refused(from, request, Failure::kNoInterface,
                           {transport_->self(), UserId(0), JobId(0)});
    return;
  }
  switch (kind) {
    case wire::MessageKind::kPut:
      counters_.add(Counter::kPutsReceived);
      target_.on_put(*interface, from, request, payload);
      break;
    case wire::MessageKind::kGet:
      counters_.add(Counter::kGetsReceived);
      target_.on_get(*interface, from, request, payload);
      break;
    case wire::MessageKind::kAtomic:
      counters_.add(Counter::kAtomicsReceived);
      target_.on_atomic(*interface, from, request, payload);
      break;
    default:
      counters_.add(Counter::kGetPutsReceived);
      target_.on_fetch(*interface, from, kind, request, payload);
      break;
  }
}

void Endpoint::on_clear(transport::PeerId from, const wire::Clear& message,
                        std::span<const std::byte> segments) {
  Operation* const operation = operations_.find(message.source_token, from);
  if (operation == nullptr || !Transfers::may_clear(*operation, message)) {
    drop_foreign(DropCause::kStaleHandle, 0);
    outbox_.discard(from, message.receiver_token);
    return;
  }
  initiator_.on_ended(transfers_.clear(*operation, message, segments));
}

void Endpoint::on_written(transport::PeerId from, const wire::Written& message) {
  Operation* const operation = operations_.find(message.receiver_token, from);
  if (operation == nullptr || !Transfers::may_count(*operation, message))
    return drop_foreign(DropCause::kStaleHandle, 0);
  initiator_.on_ended(transfers_.written_came(*operation, message));
}

void Endpoint::on_immediate(transport::PeerId from, transport::Immediate immediate) {
  Operation* const operation = transfers_.sink_of(from, immediate);
  if (operation == nullptr) {
    // The transfer has failed meanwhile.
    // it is not a message, so the interface's registers do not count it
    counters_.add(Counter::kDropsStaleHandle);
    return;
  }
  with_memory(operation->peer, [&]() LINTEL_REQUIRES(kLock) {
    initiator_.on_ended(transfers_.immediate_came(*operation, immediate));
  });
}

void Endpoint::on_write_done(transport::Context context, Error error) {
  const Operation* const operation = operations_.get(SlotId::unpack(context.value));
  if (operation == nullptr) return;  // it has failed with its peer meanwhile
  with_memory(operation->peer, [&]() LINTEL_REQUIRES(kLock) {
    initiator_.on_ended(transfers_.write_ended(context, error));
  });
}

// The other side has dropped the message that named this operation, or will send no further answer.
void Endpoint::on_discard(transport::PeerId from, std::uint64_t token) {
  Operation* const operation = operations_.find(token, from);
  // the operation has ended meanwhile
  if (operation == nullptr) return;
  // the writer has given up
  if (operation->sink != nullptr) return fail(*operation, Failure::kFailed);
  const bool has_source = operation->source != nullptr;
  initiator_.on_discard(*operation);
  if (has_source) initiator_.on_ended(transfers_.discarded(*operation));
}

}  // namespace lintel::portals
