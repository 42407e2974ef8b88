// The initiator's side: starting put, get and getput, and what ACK and REPLY do when they come back (clauses 3.13, 4.1).

#include <algorithm>
#include <cstring>

#include "portals/engine/endpoint.h"

namespace lintel::portals {
namespace {

using wire::MessageKind;

Event response_event(const wire::Response& response) {
  Event event;
  // Initiator of an ACK or REPLY event: the process that answered.
  event.initiator = {NodeId(response.initiator_nid), Pid(response.initiator_pid)};
  event.user = UserId(response.user);
  event.job = JobId(response.job);
  event.portal_index = response.portal_index;
  event.match_bits = response.match_bits;
  event.requested_length = response.requested_length;
  event.manipulated_length = response.manipulated_length;
  event.offset = response.offset;
  event.remote_offset = response.offset;
  event.list = static_cast<PortalList>(response.list);
  return event;
}

}  // namespace

Status Endpoint::prepare(NetworkInterface& interface, const RequestArguments& arguments, Prepared& prepared) {
  MemoryDescriptor* descriptor = interface.descriptors.get(arguments.descriptor);
  if (descriptor == nullptr || !descriptor->active()) return Status::kDescriptorInvalid;
  prepared.length = descriptor->region().length();
  if (!arguments.whole_descriptor) {
    if (!descriptor->region().holds(arguments.local_offset, arguments.length)) return Status::kDescriptorIllegal;
    prepared.length = arguments.length;
  }
  const Result<transport::PeerId> peer = resolve(arguments.target);
  if (!peer) return Status::kProcessInvalid;
  prepared.descriptor = descriptor;
  prepared.peer = *peer;
  return Status::kOk;
}

wire::Request Endpoint::make_request(const NetworkInterface& interface, MessageKind kind, const RequestArguments& arguments,
                                     std::uint64_t length) const {
  const Identity& self = interface.identity();
  wire::Request request;  // what its kind does not send has no value
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0, interface.kind(), 0};
  request.initiator_nid = self.process.nid.value;
  request.initiator_pid = self.process.pid.value;
  request.user = self.user.value;
  request.job = self.job.value;
  request.target_nid = arguments.target.nid.value;
  request.target_pid = arguments.target.pid.value;
  request.portal_index = arguments.portal_index;
  request.cookie = arguments.cookie;
  request.match_bits = arguments.match_bits;
  request.offset = arguments.remote_offset;
  request.length = length;
  request.header_data = arguments.header_data;
  request.md_handle = wire::kNoDescriptor;
  request.md_generation = 0;
  request.sender_token = 0;
  request.return_offset = 0;
  if (kind == MessageKind::kAtomic || kind == MessageKind::kFetchAtomic || kind == MessageKind::kSwap) {
    request.atomic_operation = arguments.atomic_operation;
    request.atomic_datatype = arguments.atomic_datatype;
    std::memset(request.reserved, 0, sizeof request.reserved);
  }
  if (kind == MessageKind::kSwap) std::memcpy(request.operand, arguments.operand.data(), sizeof request.operand);
  return request;
}

void Endpoint::describe_send(const NetworkInterface& interface, const wire::Request& request, void* user_pointer, Event& event) {
  event.initiator = interface.identity().process;
  event.user = interface.identity().user;
  event.job = interface.identity().job;
  event.portal_index = request.portal_index;
  event.match_bits = request.match_bits;
  event.requested_length = request.length;
  event.manipulated_length = request.length;
  event.offset = request.offset;
  event.header_data = request.header_data;
  event.user_pointer = user_pointer;
}

// SEND_START now; the completion is SEND_END.
Completion Endpoint::open_send(NetworkInterface& interface, MemoryDescriptor& descriptor, const wire::Request& request,
                               void* user_pointer) {
  Completion completion;
  describe_send(interface, request, user_pointer, completion.event);
  interface.open(completion, descriptor, EventKind::kSendStart, EventKind::kSendEnd);
  return completion;
}

// Completes the record of a request that is answered. With Portals 4 the descriptor that the answer goes to is in use until then.
void Endpoint::expect_answer(Operation& record, const wire::Request& request, const RequestArguments& arguments) {
  record.request = request;
  record.user_pointer = arguments.user_pointer;
  record.ack = arguments.ack;
  NetworkInterface& interface = *interface_of(record);
  if (interface.is_portals3() || request.md_handle == wire::kNoDescriptor) return;
  interface.descriptors.get({request.md_handle, request.md_generation})->begin(record.awaits());
  record.pins = true;
}

Status Endpoint::put(NetworkInterface& interface, const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk) return status;
  return send_put(interface, arguments, prepared, MessageKind::kPut);
}

Status Endpoint::get(NetworkInterface& interface, const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk) return status;
  return send_get(interface, arguments, prepared);
}

Status Endpoint::get_put(NetworkInterface& interface, const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk) return status;
  const MemoryDescriptor* to = interface.descriptors.get(arguments.get_descriptor);
  if (to == nullptr || !to->active()) return Status::kDescriptorInvalid;
  if (prepared.length > interface.limits().max_getput_bytes) return Status::kDescriptorIllegal;
  return send_fetch(interface, arguments, prepared, MessageKind::kGetPut);
}

// The program could hear of it.
bool Endpoint::is_told(const MemoryDescriptor& descriptor, AckRequest ack) {
  if (ack != AckRequest::kCount) return ack == AckRequest::kFull;
  return descriptor.counter().generation != 0 && descriptor.has(option::kCountAck);
}

// PUT and ATOMIC.
Status Endpoint::send_put(NetworkInterface& interface, const RequestArguments& arguments, const Prepared& prepared, MessageKind kind) {
  // A put that nobody keeps a record of is bounded by what may wait for room. See has_room().
  if (outbox_.waiting() >= max_operations_) return Status::kNoSpace;
  const bool ack_wanted = is_told(*prepared.descriptor, arguments.ack);
  const bool announced = kind == MessageKind::kPut && prepared.length > eager_limit_;
  Operation* record = nullptr;
  if (ack_wanted || announced) {
    record = create_operation(Operation::Role::kPut, prepared.peer, interface.kind());
    if (record == nullptr) return Status::kNoSpace;
  }

  wire::Request request = make_request(interface, kind, arguments, prepared.length);
  if (ack_wanted) {
    request.header.flags |= wire::kFlagAckWanted | wire::kFlagTracked;
    request.md_handle = arguments.descriptor.slot;
    request.md_generation = arguments.descriptor.generation;
  }
  if (announced) {
    request.header.flags |= wire::kFlagAnnounced;
  } else {
    request.header.payload_length = static_cast<std::uint32_t>(prepared.length);
  }
  if (record != nullptr) request.sender_token = record->id.packed();

  const SlotId id = record != nullptr ? record->id : SlotId{};
  const Payload payload{.region = &prepared.descriptor->region(),
                        .offset = arguments.whole_descriptor ? 0 : arguments.local_offset,
                        .length = prepared.length,
                        .bytes = {},
                        .is_volatile = arguments.is_volatile};
  // Small data leave first of all: the accounts are kept while they are on their way.
  const bool left = !announced && outbox_.send_at_once(prepared.peer, request, payload);

  MemoryDescriptor& descriptor = *prepared.descriptor;
  interface.entries.charge(descriptor);
  interface.registers.sent(prepared.length);
  counters_.add(kind == MessageKind::kPut ? Counter::kPutsSent : Counter::kAtomicsSent);
  if (record != nullptr) expect_answer(*record, request, arguments);
  if (left && descriptor.has(option::kStartDisable)) {
    counters_.add(Counter::kEagerCopies);
    interface.log_at_once(descriptor, EventKind::kSendEnd, descriptor.has(option::kEndDisable | option::kSendDisable),
                          [&](Event& event) { describe_send(interface, request, arguments.user_pointer, event); });
    return Status::kOk;
  }
  Completion completion = open_send(interface, descriptor, request, arguments.user_pointer);
  if (announced) {
    record->completion = completion;
    record->source = Operation::Source::kAnnounced;
    record->region = descriptor.region();
    record->offset = payload.offset;
    record->length = prepared.length;
    begin_moving(*record);
    outbox_.send(prepared.peer, request, {}, nullptr, id);
    return Status::kOk;
  }
  counters_.add(Counter::kEagerCopies);
  if (left) {
    interface.close(completion, Failure::kNone);
  } else {
    outbox_.keep(prepared.peer, request, payload, &completion, id);
  }
  return Status::kOk;
}

Status Endpoint::send_get(NetworkInterface& interface, const RequestArguments& arguments, const Prepared& prepared) {
  Operation* record = create_operation(Operation::Role::kGet, prepared.peer, interface.kind());
  if (record == nullptr) return Status::kNoSpace;
  wire::Request request = make_request(interface, MessageKind::kGet, arguments, prepared.length);
  request.header.flags = wire::kFlagTracked;
  request.header_data = 0;
  request.md_handle = arguments.descriptor.slot;
  request.md_generation = arguments.descriptor.generation;
  request.return_offset = arguments.whole_descriptor ? 0 : arguments.local_offset;
  request.sender_token = record->id.packed();
  expect_answer(*record, request, arguments);
  std::byte clear[kMostClearBytes];
  if (record->pins && prepared.length > reply_limit(interface.kind())) {
    request.header.payload_length =
        clear_ahead(*record, {&prepared.descriptor->region(), request.return_offset, prepared.length, 0}, clear);
    if (request.header.payload_length > 0) request.header.flags |= wire::kFlagCleared;
  }
  interface.registers.sent(0);
  counters_.add(Counter::kGetsSent);
  outbox_.send(prepared.peer, request, {.region = nullptr, .offset = 0, .length = 0, .bytes = {clear, request.header.payload_length}},
               nullptr, record->id);
  return Status::kOk;
}

// GETPUT, FETCH_ATOMIC and SWAP.
Status Endpoint::send_fetch(NetworkInterface& interface, const RequestArguments& arguments, const Prepared& prepared, MessageKind kind) {
  Operation* record = create_operation(Operation::Role::kGetPut, prepared.peer, interface.kind());
  if (record == nullptr) return Status::kNoSpace;
  wire::Request request = make_request(interface, kind, arguments, prepared.length);
  request.header.flags = wire::kFlagTracked;
  request.header.payload_length = static_cast<std::uint32_t>(prepared.length);
  request.md_handle = arguments.get_descriptor.slot;
  request.md_generation = arguments.get_descriptor.generation;
  request.return_offset = arguments.get_offset;
  request.sender_token = record->id.packed();
  expect_answer(*record, request, arguments);

  interface.entries.charge(*prepared.descriptor);
  Completion completion = open_send(interface, *prepared.descriptor, request, arguments.user_pointer);
  interface.registers.sent(prepared.length);
  counters_.add(Counter::kGetPutsSent);
  const Payload payload{.region = &prepared.descriptor->region(),
                        .offset = arguments.whole_descriptor ? 0 : arguments.local_offset,
                        .length = prepared.length,
                        .bytes = {},
                        .is_volatile = arguments.is_volatile};
  outbox_.send(prepared.peer, request, payload, &completion, record->id);
  return Status::kOk;
}

// ---- ACK: no access control, no matching; straight to the descriptor that the message names (clause 6.4 of the receive rules).

void Endpoint::on_ack(transport::PeerId from, const wire::Response& response) {
  counters_.add(Counter::kAcksReceived);
  Operation* record = operation(response.request_token, from);
  const bool expected = record != nullptr && record->role == Operation::Role::kPut && !record->answered &&
                        (record->request.header.flags & wire::kFlagAckWanted) != 0 && record->request.md_handle == response.md_handle &&
                        record->request.md_generation == response.md_generation;
  if (!expected) {
    counters_.add(Counter::kDropsStaleHandle);
    if (NetworkInterface* interface = interfaces_[response.header.interface_kind]) interface->registers.drop(DropCause::kStaleHandle, 0);
    return;
  }
  record->answered = true;
  record->acknowledged = true;
  record->answer = response;
  if (response.failure != 0 && record->owes_data()) return receiver_gave_up(*record);
  if (record->source == Operation::Source::kWriting) return;  // SEND_END first
  finish_source(*record);
}

// The data of a put or of a reply source have left, or nobody wants them: logs the END, then what was waiting for it, and forgets the record
// unless an answer is still to come.
void Endpoint::finish_source(Operation& record) {
  end_moving(record);
  record.source = Operation::Source::kDone;
  close_completion(record, record.write_failure);
  if (record.acknowledged) log_ack(record, record.answer, Failure::kNone);
  const bool waits_for_ack = record.role == Operation::Role::kPut && (record.request.header.flags & wire::kFlagAckWanted) != 0;
  if (record.write_failure != Failure::kNone && !record.answered && waits_for_ack) log_no_ack(record, record.write_failure, true);
  if (record.answered || !waits_for_ack || record.write_failure != Failure::kNone) destroy_operation(record);
}

void Endpoint::log_ack(Operation& record, const wire::Response& response, Failure failure, bool count_only) {
  NetworkInterface& interface = *interface_of(record);
  MemoryDescriptor* descriptor = interface.descriptors.get({record.request.md_handle, record.request.md_generation});
  if (descriptor == nullptr) {
    // Unlinked while the ack was under way. A failure has nobody to be told to and is no message.
    if (failure == Failure::kNone) {
      counters_.add(Counter::kDropsStaleHandle);
      interface.registers.drop(DropCause::kStaleHandle, 0);
    }
    return;
  }
  Event event = response_event(response);
  if (failure != Failure::kNone) {
    event.initiator = {NodeId(record.request.target_nid), Pid(record.request.target_pid)};
    event.portal_index = record.request.portal_index;
    event.match_bits = record.request.match_bits;
    event.requested_length = record.request.length;
    event.offset = record.request.offset;
  } else {
    interface.registers.received(0);
  }
  event.user_pointer = record.user_pointer;
  interface.entries.charge(*descriptor);
  interface.log_single(*descriptor, event, EventKind::kAck, failure != Failure::kNone ? failure : static_cast<Failure>(response.failure),
                       count_only || record.ack == AckRequest::kCount);
}

// An ACK that was wanted will not come. A failed SEND_END has told the program already; a counting event that counts ACKs has heard of nothing.
void Endpoint::log_no_ack(Operation& record, Failure failure, bool told_by_send) {
  if ((record.request.header.flags & wire::kFlagAckWanted) == 0 || (told_by_send && interface_of(record)->is_portals3())) return;
  log_ack(record, record.answer, failure, told_by_send);
}

// ---- REPLY: the only reason to drop it is that the descriptor is gone.

void Endpoint::on_reply(transport::PeerId from, const wire::Response& response, std::span<const std::byte> payload) {
  counters_.add(Counter::kRepliesReceived);
  const bool announced = (response.header.flags & wire::kFlagAnnounced) != 0;
  Operation* record = operation(response.request_token, from);
  const bool expected = record != nullptr && (record->role == Operation::Role::kGet || record->role == Operation::Role::kGetPut) &&
                        record->request.md_handle == response.md_handle && record->request.md_generation == response.md_generation;
  NetworkInterface* interface = expected ? interface_of(*record) : interfaces_[response.header.interface_kind];
  MemoryDescriptor* descriptor = expected ? interface->descriptors.get({response.md_handle, response.md_generation}) : nullptr;
  if (descriptor == nullptr) {
    counters_.add(Counter::kDropsStaleHandle);
    if (interface != nullptr) interface->registers.drop(DropCause::kStaleHandle, response.manipulated_length);
    if (announced) discard(from, response.sender_token);
    if (expected) destroy_operation(*record);
    return;
  }
  withdraw_clear(*record);  // there is something to say that writes could not

  const std::uint64_t offset = record->request.return_offset;
  const std::uint64_t size = descriptor->region().length();
  // Shorter than was asked for only if the descriptor was updated in between.
  const std::uint64_t room = offset <= size ? size - offset : 0;
  const std::uint64_t length = std::min({response.manipulated_length, record->request.length, room});
  interface->entries.charge(*descriptor);
  Completion completion;
  Event& event = completion.event;
  event = response_event(response);
  event.manipulated_length = length;
  event.offset = offset;
  event.user_pointer = record->user_pointer;
  interface->registers.received(length);
  interface->open(completion, *descriptor, EventKind::kReplyStart, EventKind::kReplyEnd);
  if (!announced) {
    counters_.add(Counter::kEagerCopies);
    if (length > 0) descriptor->region().write(offset, payload.first(length));
    interface->close(completion, static_cast<Failure>(response.failure));
    destroy_operation(*record);
    return;
  }
  record->role = Operation::Role::kSink;
  record->completion = completion;
  if (length == 0) {
    discard(from, response.sender_token);
    interface->close(record->completion, Failure::kNone);
    destroy_operation(*record);
    return;
  }
  if (!receive(*record, {&descriptor->region(), offset, length, response.sender_token})) {
    discard(from, response.sender_token);
    fail_operation(*record, Failure::kFailed);
  }
}

// The REPLY_END of a get that no REPLY tells of: `length` bytes are in place, or it will never be answered and the waiter is woken by a failure.
void Endpoint::log_reply(Operation& record, std::uint64_t length, Failure failure) {
  NetworkInterface& interface = *interface_of(record);
  MemoryDescriptor* descriptor = interface.descriptors.get({record.request.md_handle, record.request.md_generation});
  if (descriptor == nullptr) return;
  Completion completion;
  Event& event = completion.event;
  event.initiator = {NodeId(record.request.target_nid), Pid(record.request.target_pid)};
  event.portal_index = record.request.portal_index;
  event.match_bits = record.request.match_bits;
  event.requested_length = record.request.length;
  event.manipulated_length = length;
  event.offset = record.request.return_offset;
  event.remote_offset = record.request.offset;
  event.user_pointer = record.user_pointer;
  interface.entries.charge(*descriptor);
  interface.open(completion, *descriptor, EventKind::kReplyStart, EventKind::kReplyEnd);
  interface.close(completion, failure);
}

}  // namespace lintel::portals
