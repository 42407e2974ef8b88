// Arriving messages: which are sound, which interface and which part of the engine they are for.

#include "portals/engine/endpoint.h"

namespace lintel::portals {
namespace {

Counter counter_of(DropCause cause) {
  static constexpr Counter kCounters[] = {Counter::kDropsBadPortalIndex, Counter::kDropsBadCookie,   Counter::kDropsAccessDenied,
                                          Counter::kDropsNoMatch,        Counter::kDropsStaleHandle, Counter::kDropsMalformed,
                                          Counter::kDropsPortalDisabled, Counter::kDropsOperation,   Counter::kDropsInaccessible};
  return kCounters[static_cast<std::size_t>(cause)];
}

}  // namespace

void Endpoint::on_message(transport::PeerId from, std::span<const std::byte> message) {
  counters_.add(Counter::kMessagesReceived);
  if (told_lost_ > 0) [[unlikely]] {
    heard_again(from);
  }
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
    case wire::MessageKind::kSwap: on_request(from, kind, wire::parse_request(message), payload); break;
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
    interface->registers.drop(cause, bytes);
    return;
  }
}

void Endpoint::discard(transport::PeerId to, std::uint64_t token) {
  wire::Discard message{};
  message.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kDiscard), 0, 0, 0};
  message.token = token;
  outbox_.send(to, message);
}

// Ends the record that the initiator keeps of a request that has no other answer, if it keeps one.
void Endpoint::let_go(transport::PeerId from, const wire::Request& request) {
  if ((request.header.flags & (wire::kFlagTracked | wire::kFlagAnnounced)) != 0) discard(from, request.sender_token);
}

// Counts the request as dropped. With Portals 4 its initiator learns `failure`, if it wants an answer; with Portals 3 its program hears nothing.
void Endpoint::refuse_request(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, DropCause cause,
                              Failure failure) {
  counters_.add(counter_of(cause));
  interface.registers.drop(cause, request.length);
  answer_refused(from, request, failure, interface.identity());
}

void Endpoint::answer_refused(transport::PeerId from, const wire::Request& request, Failure failure, const Identity& self) {
  const auto kind = static_cast<wire::MessageKind>(request.header.kind);
  const bool put_like = kind == wire::MessageKind::kPut || kind == wire::MessageKind::kAtomic;
  const bool wanted = !put_like || (request.header.flags & wire::kFlagAckWanted) != 0;
  if (request.header.interface_kind != kPortals3Kind && wanted) {
    counters_.add(put_like ? Counter::kAcksSent : Counter::kRepliesSent);
    wire::Response answer = echo(put_like ? wire::MessageKind::kAck : wire::MessageKind::kReply, request, self);
    answer.failure = static_cast<std::uint8_t>(failure);
    outbox_.send(from, answer);
  } else {
    let_go(from, request);
  }
}

void Endpoint::on_request(transport::PeerId from, wire::MessageKind kind, const wire::Request& request,
                          std::span<const std::byte> payload) {
  if (ending_) {
    // No answer: the end of the session, which is near, tells the initiator why.
    drop_foreign(DropCause::kPortalIndex, request.length);
    return;
  }
  const ProcessId target{NodeId(request.target_nid), Pid(request.target_pid)};
  const ProcessId initiator{NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  NetworkInterface* interface = traffic_[request.header.interface_kind].closing ? nullptr : interfaces_[request.header.interface_kind];
  if (interface == nullptr || target != interface->identity().process || initiator != transport_->name_of(from)) {
    drop_foreign(interface == nullptr ? DropCause::kPortalIndex : DropCause::kMalformed, request.length);
    answer_refused(from, request, Failure::kNoInterface, {transport_->self(), UserId(0), JobId(0)});
    return;
  }
  switch (kind) {
    case wire::MessageKind::kPut:
      counters_.add(Counter::kPutsReceived);
      on_put(*interface, from, request, payload);
      break;
    case wire::MessageKind::kGet:
      counters_.add(Counter::kGetsReceived);
      on_get(*interface, from, request, payload);
      break;
    case wire::MessageKind::kAtomic:
      counters_.add(Counter::kAtomicsReceived);
      on_atomic(*interface, from, request, payload);
      break;
    default:
      counters_.add(Counter::kGetPutsReceived);
      on_fetch(*interface, from, kind, request, payload);
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
      if (record->owes_data()) {
        receiver_gave_up(*record);
        break;
      }
      record->answered = true;
      if (record->source == Operation::Source::kAnnounced) {
        // Nobody wants the data: they count as sent.
        finish_source(*record);
      } else if (record->source != Operation::Source::kWriting) {
        destroy_operation(*record);
      }
      break;
    case Operation::Role::kGet:
    case Operation::Role::kGetPut:
      if (!record->lands()) return destroy_operation(*record);
      [[fallthrough]];  // whoever was writing there has given up
    case Operation::Role::kSink: fail_operation(*record, Failure::kFailed); break;
  }
}

}  // namespace lintel::portals
