// The initiator's side: starts put, get and getput, and handles ACK and REPLY (clauses 3.13, 4.1).

#include "portals/engine/protocol/initiator.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "portals/engine/protocol/request_message.h"

namespace lintel::portals {
namespace {

using wire::MessageKind;

Event response_event(const wire::Response& response) {
  Event event;
  // In ACK and REPLY events the initiator is the process that answered.
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

// Whether an ack has an effect that the program can see.
bool is_visible(const MemoryDescriptor& descriptor, AckRequest ack) {
  if (ack != AckRequest::kCount) return ack == AckRequest::kFull;
  return descriptor.counter().generation != 0 && descriptor.has(option::kCountAck);
}

Payload payload_of(const RequestArguments& arguments, const MemoryDescriptor& descriptor,
                   std::uint64_t length) {
  return {.region = &descriptor.region(),
          .offset = arguments.first_byte(),
          .length = length,
          .bytes = {},
          .is_volatile = arguments.is_volatile};
}

}  // namespace

Initiator::Initiator(const TransferLimits& limits, std::size_t max_message_bytes, Peers& peers,
                     Outbox& outbox, Operations& operations, Transfers& transfers,
                     const InterfaceTable& interfaces, Counters& counters)
    : limits_(limits),
      max_message_bytes_(max_message_bytes),
      peers_(peers),
      outbox_(outbox),
      operations_(operations),
      transfers_(transfers),
      interfaces_(interfaces),
      counters_(counters),
      requests_(kMostOperations) {}

Status Initiator::prepare(NetworkInterface& interface, const RequestArguments& arguments,
                          Prepared& prepared) {
  MemoryDescriptor* descriptor = interface.descriptors.get(arguments.descriptor);
  if (descriptor == nullptr || !descriptor->active()) return Status::kDescriptorInvalid;
  prepared.length = descriptor->region().length();
  if (!arguments.whole_descriptor) {
    if (!descriptor->region().holds(arguments.local_offset, arguments.length))
      return Status::kDescriptorIllegal;
    prepared.length = arguments.length;
  }
  const Result<transport::PeerId> peer = peers_.resolve(arguments.target);
  if (!peer) return Status::kProcessInvalid;
  prepared.descriptor = descriptor;
  prepared.peer = *peer;
  return Status::kOk;
}

// Makes an operation with a request that waits for an answer. Null: there is no room for it.
Operation* Initiator::create(const Prepared& prepared, NetworkInterface& interface,
                             PendingKind kind) {
  Operation* const operation = operations_.create(prepared.peer, interface.kind(), true);
  if (operation == nullptr) return nullptr;
  operation->answer_bytes = Operations::kAnswerCost;
  if (kind == PendingKind::kFetch) operation->answer_bytes += prepared.length;
  // WRITTEN, and DISCARD if a write fails.
  if (kind == PendingKind::kGet && prepared.length > limits_.reply(interface.rules().reply_limit))
    operation->answer_bytes += Operations::kAnswerCost;
  try {
    const auto [request, id] = requests_.create(kind);
    LINTEL_ASSERT(request != nullptr);  // the pool has one for each operation of this process
    request->id = id;
    operation->request = request;
  } catch (const std::bad_alloc&) {
    operations_.release(*operation);
    return nullptr;
  }
  return operation;
}

// Sends the request, or prepares it to wait. `source`, if not null: what the operation announces.
// False: there is no memory, or no room for a message that waits without an operation. Nothing has
// happened then, and the operation has ended.
bool Initiator::send(const Prepared& prepared, Operation* operation, const wire::Request& request,
                     const Payload& payload, const Transfers::RegionPart* source,
                     Outbox::Prepared& waits) {
  try {
    if (source != nullptr) transfers_.begin_source(*operation, *source, {});
    if (outbox_.send_at_once(prepared.peer, request, payload, operation)) return true;
    if (operation == nullptr && !has_room(prepared.peer)) return false;
    waits = outbox_.prepare(prepared.peer, request, payload, operation);
    return true;
  } catch (const std::bad_alloc&) {
    if (operation == nullptr) return false;
    if (operation->request != nullptr) requests_.destroy(operation->request->id);
    operation->request = nullptr;
    transfers_.fail(*operation, Failure::kFailed);
    return false;
  }
}

// Fills in the record of a request that will be answered. With Portals 4 the descriptor of the
// answer is in use until then.
void Initiator::expect_answer(NetworkInterface& interface, PendingRequest& request,
                              const wire::Request& sent, const RequestArguments& arguments) {
  request.sent = sent;
  request.user_pointer = arguments.user_pointer;
  request.ack = arguments.ack;
  if (interface.is_portals3()) return;
  interface.descriptors.get(request.descriptor())->begin(request.awaits());
  request.pins = true;
}

// Ends the request of `operation`.
void Initiator::end(Operation& operation) {
  const PendingRequest& request = *operation.request;
  if (request.pins) {
    NetworkInterface& interface = *interfaces_.get(operation.interface_kind);
    if (MemoryDescriptor* descriptor = interface.descriptors.get(request.descriptor()))
      descriptor->end(request.awaits());
  }
  requests_.destroy(request.id);
  operation.request = nullptr;
  operations_.release(operation);
}

Status Initiator::put(NetworkInterface& interface, const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk)
    return status;
  return send_put(interface, arguments, prepared, MessageKind::kPut);
}

Status Initiator::get(NetworkInterface& interface, const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk)
    return status;
  return send_get(interface, arguments, prepared);
}

Status Initiator::get_put(NetworkInterface& interface, const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk)
    return status;
  const MemoryDescriptor* to = interface.descriptors.get(arguments.get_descriptor);
  if (to == nullptr || !to->active()) return Status::kDescriptorInvalid;
  if (prepared.length > interface.limits().max_getput_bytes) return Status::kDescriptorIllegal;
  return send_fetch(interface, arguments, prepared, MessageKind::kGetPut);
}

// PUT and ATOMIC.
Status Initiator::send_put(NetworkInterface& interface, const RequestArguments& arguments,
                           const Prepared& prepared, MessageKind kind) {
  MemoryDescriptor& descriptor = *prepared.descriptor;
  const bool ack_wanted = is_visible(descriptor, arguments.ack);
  const bool announced = kind == MessageKind::kPut && prepared.length > limits_.eager;
  Operation* operation = nullptr;
  if (ack_wanted || announced) {
    operation = ack_wanted ? create(prepared, interface, PendingKind::kPut)
                           : operations_.create(prepared.peer, interface.kind(), true);
    if (operation == nullptr) return Status::kNoSpace;
    operation->answer_bytes = announced ? Operations::kClearCost : Operations::kAnswerCost;
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
  if (operation != nullptr) request.sender_token = operation->id.packed();

  // Of an announced put the source is sent later.
  const Transfers::RegionPart source{&descriptor.region(), arguments.first_byte(), prepared.length};
  const Payload payload =
      announced ? Payload{} : payload_of(arguments, descriptor, prepared.length);
  // The message is sent first. The descriptor is charged while it is on its way.
  Outbox::Prepared waits;
  if (!send(prepared, operation, request, payload, announced ? &source : nullptr, waits))
    return Status::kNoSpace;

  interface.entries.charge(descriptor);
  interface.registers.sent(prepared.length);
  counters_.add(kind == MessageKind::kPut ? Counter::kPutsSent : Counter::kAtomicsSent);
  if (ack_wanted) expect_answer(interface, *operation->request, request, arguments);
  if (!announced) counters_.add(Counter::kEagerCopies);
  if (!announced && !waits && descriptor.has(option::kStartDisable)) {
    interface.log_at_once(
        descriptor, EventKind::kSendEnd, descriptor.has(option::kEndDisable | option::kSendDisable),
        [&](Event& event) { describe_send(interface, request, arguments.user_pointer, event); });
    return Status::kOk;
  }
  Completion completion = open_send(interface, descriptor, request, arguments.user_pointer);
  if (announced) transfers_.set_completion(*operation, std::move(completion));
  if (waits) {
    outbox_.keep(prepared.peer, std::move(waits), announced ? nullptr : &completion);
  } else if (!announced) {
    interface.close(std::move(completion), Failure::kNone);
  }
  return Status::kOk;
}

Status Initiator::send_get(NetworkInterface& interface, const RequestArguments& arguments,
                           const Prepared& prepared) {
  Operation* operation = create(prepared, interface, PendingKind::kGet);
  if (operation == nullptr) return Status::kNoSpace;
  wire::Request request = make_request(interface, MessageKind::kGet, arguments, prepared.length);
  request.header.flags = wire::kFlagTracked;
  request.header_data = 0;
  request.md_handle = arguments.descriptor.slot;
  request.md_generation = arguments.descriptor.generation;
  request.return_offset = arguments.first_byte();
  request.sender_token = operation->id.packed();
  std::byte clear[Transfers::kMostClearBytes];
  if (!interface.is_portals3() && prepared.length > limits_.reply(interface.rules().reply_limit)) {
    request.header.payload_length = transfers_.clear_ahead(
        *operation, {&prepared.descriptor->region(), request.return_offset, prepared.length},
        max_message_bytes_ - wire::fixed_size(request.header), clear);
    if (request.header.payload_length > 0) request.header.flags |= wire::kFlagCleared;
  }
  Outbox::Prepared waits;
  if (!send(prepared, operation, request,
            {.region = nullptr,
             .offset = 0,
             .length = 0,
             .bytes = {clear, request.header.payload_length}},
            nullptr, waits))
    return Status::kNoSpace;
  expect_answer(interface, *operation->request, request, arguments);
  interface.registers.sent(0);
  counters_.add(Counter::kGetsSent);
  if (waits) outbox_.keep(prepared.peer, std::move(waits), nullptr);
  return Status::kOk;
}

// GETPUT, FETCH_ATOMIC and SWAP.
Status Initiator::send_fetch(NetworkInterface& interface, const RequestArguments& arguments,
                             const Prepared& prepared, MessageKind kind) {
  Operation* operation = create(prepared, interface, PendingKind::kFetch);
  if (operation == nullptr) return Status::kNoSpace;
  wire::Request request = make_request(interface, kind, arguments, prepared.length);
  request.header.flags = wire::kFlagTracked;
  request.header.payload_length = static_cast<std::uint32_t>(prepared.length);
  request.md_handle = arguments.get_descriptor.slot;
  request.md_generation = arguments.get_descriptor.generation;
  request.return_offset = arguments.get_offset;
  request.sender_token = operation->id.packed();
  Outbox::Prepared waits;
  if (!send(prepared, operation, request,
            payload_of(arguments, *prepared.descriptor, prepared.length), nullptr, waits))
    return Status::kNoSpace;
  expect_answer(interface, *operation->request, request, arguments);

  interface.entries.charge(*prepared.descriptor);
  Completion completion =
      open_send(interface, *prepared.descriptor, request, arguments.user_pointer);
  interface.registers.sent(prepared.length);
  counters_.add(Counter::kGetPutsSent);
  if (waits) {
    outbox_.keep(prepared.peer, std::move(waits), &completion);
  } else {
    interface.close(std::move(completion), Failure::kNone);
  }
  return Status::kOk;
}

Status Initiator::put_placed(NetworkInterface& interface, const RequestArguments& arguments,
                             transport::PlacementKey key) {
  LINTEL_ASSERT(arguments.ack == AckRequest::kNone);
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk)
    return status;
  if (prepared.length == 0 || prepared.length > limits_.placed || outbox_.waits_for(prepared.peer))
    return Status::kNoSpace;
  MemoryDescriptor& descriptor = *prepared.descriptor;
  const std::span<const std::byte> data =
      descriptor.region().contiguous(arguments.first_byte(), prepared.length);
  LINTEL_ASSERT(data.size() == prepared.length);

  wire::Request request = make_request(interface, MessageKind::kPut, arguments, prepared.length);
  request.header.flags |= wire::kFlagAnnounced;
  Operation* operation = operations_.create(prepared.peer, interface.kind(), true);
  if (operation == nullptr) return Status::kNoSpace;
  request.sender_token = operation->id.packed();
  try {
    if (!transfers_.begin_placed(*operation, request, data, key)) {
      operations_.release(*operation);
      return Status::kNoSpace;
    }
  } catch (const std::bad_alloc&) {
    transfers_.fail(*operation, Failure::kFailed);
    return Status::kNoSpace;
  }
  interface.entries.charge(descriptor);
  interface.registers.sent(prepared.length);
  counters_.add(Counter::kPutsSent);
  transfers_.set_completion(*operation,
                            open_send(interface, descriptor, request, arguments.user_pointer));
  return Status::kOk;
}

// ---- ACK: no access control and no matching. It goes directly to the descriptor that it names
// (clause 6.4 of the receive rules).

void Initiator::on_ack(transport::PeerId from, const wire::Response& response) {
  counters_.add(Counter::kAcksReceived);
  Operation* operation = operations_.find(response.request_token, from);
  PendingRequest* const request = operation != nullptr ? operation->request : nullptr;
  const bool expected = request != nullptr && request->kind == PendingKind::kPut &&
                        !request->answered && request->wants_ack() &&
                        request->sent.md_handle == response.md_handle &&
                        request->sent.md_generation == response.md_generation;
  if (!expected) {
    counters_.add(Counter::kDropsStaleHandle);
    if (NetworkInterface* interface = interfaces_.get(response.header.interface_kind))
      interface->registers.drop(DropCause::kStaleHandle, 0);
    return;
  }
  request->answered = true;
  request->acknowledged = true;
  request->answer = response;
  // If its data still move, SEND_END is logged first.
  if (operation->source != nullptr)
    return on_ended(transfers_.acknowledged(*operation, response.failure != 0));
  log_ack(*interfaces_.get(operation->interface_kind), *request, Failure::kNone);
  end(*operation);
}

// The END event of the data was logged. Ends the request, unless its answer is still to come.
void Initiator::finish(const Transfers::Ended& ended) {
  Operation& operation = *ended.operation;
  const PendingRequest& request = *operation.request;
  NetworkInterface& interface = *interfaces_.get(operation.interface_kind);
  const bool failed = ended.failure != Failure::kNone;
  if (request.kind == PendingKind::kPut) {
    if (request.acknowledged) log_ack(interface, request, Failure::kNone);
    if (failed && !request.answered) log_no_ack(interface, request, ended.failure, true);
    if (!request.answered && !failed) return;
  } else if (!request.answered) {
    if (!failed) {
      counters_.add(Counter::kDirectTransfers);
      counters_.add(Counter::kRepliesReceived);
      interface.registers.received(ended.landed);
    }
    log_reply(interface, request, ended.landed, ended.failure);
  }
  end(operation);
}

void Initiator::fail(Operation& operation, Failure failure, bool reported) {
  const PendingRequest& request = *operation.request;
  NetworkInterface& interface = *interfaces_.get(operation.interface_kind);
  if (request.kind != PendingKind::kPut) {
    if (!request.answered) log_reply(interface, request, 0, failure);
  } else if (request.acknowledged) {
    log_ack(interface, request, Failure::kNone);
  } else {
    // the SEND_END of a put whose data did not leave has reported the failure
    log_no_ack(interface, request, failure, reported);
  }
  end(operation);
}

void Initiator::fail_unsent(SlotId id, Failure failure) {
  Operation* const operation = operations_.get(id);
  // A long put ends with its source. A put without an answer has no record.
  if (operation == nullptr || operation->request == nullptr || operation->source != nullptr) return;
  if (operation->request->kind == PendingKind::kPut) fail(*operation, failure, true);
}

void Initiator::on_discard(Operation& operation) {
  if (operation.request == nullptr) return;
  if (operation.source == nullptr) return end(operation);
  if (!operation.source->owes_data()) operation.request->answered = true;
}

void Initiator::log_ack(NetworkInterface& interface, const PendingRequest& request, Failure failure,
                        bool count_only) {
  MemoryDescriptor* descriptor = interface.descriptors.get(request.descriptor());
  if (descriptor == nullptr) {
    // The descriptor was unlinked while the ack was on its way. A failure is not a message, so it
    // is not counted.
    if (failure == Failure::kNone) {
      counters_.add(Counter::kDropsStaleHandle);
      interface.registers.drop(DropCause::kStaleHandle, 0);
    }
    return;
  }
  const wire::Response& response = request.answer;
  Event event = response_event(response);
  if (failure != Failure::kNone) {
    event.initiator = {NodeId(request.sent.target_nid), Pid(request.sent.target_pid)};
    event.portal_index = request.sent.portal_index;
    event.match_bits = request.sent.match_bits;
    event.requested_length = request.sent.length;
    event.offset = request.sent.offset;
  } else {
    interface.registers.received(0);
  }
  event.user_pointer = request.user_pointer;
  interface.entries.charge(*descriptor);
  interface.log_single(*descriptor, event, EventKind::kAck,
                       failure != Failure::kNone ? failure : static_cast<Failure>(response.failure),
                       count_only || request.ack == AckRequest::kCount);
}

// An ACK that was wanted will not come. If a failed SEND_END has reported this, only a counting
// event that counts ACKs still has to count it.
void Initiator::log_no_ack(NetworkInterface& interface, const PendingRequest& request,
                           Failure failure, bool reported_by_send) {
  if (!request.wants_ack() || (reported_by_send && interface.is_portals3())) return;
  log_ack(interface, request, failure, reported_by_send);
}

// ---- REPLY: it is dropped only if its descriptor has ended.

void Initiator::on_reply(transport::PeerId from, const wire::Response& response,
                         std::span<const std::byte> payload) {
  counters_.add(Counter::kRepliesReceived);
  const bool announced = (response.header.flags & wire::kFlagAnnounced) != 0;
  Operation* operation = operations_.find(response.request_token, from);
  PendingRequest* const request = operation != nullptr ? operation->request : nullptr;
  const bool expected = request != nullptr && request->kind != PendingKind::kPut &&
                        !request->answered && request->sent.md_handle == response.md_handle &&
                        request->sent.md_generation == response.md_generation;
  NetworkInterface* interface =
      interfaces_.get(expected ? operation->interface_kind : response.header.interface_kind);
  MemoryDescriptor* descriptor =
      expected ? interface->descriptors.get({response.md_handle, response.md_generation}) : nullptr;
  if (descriptor == nullptr) {
    counters_.add(Counter::kDropsStaleHandle);
    if (interface != nullptr)
      interface->registers.drop(DropCause::kStaleHandle, response.manipulated_length);
    if (announced) outbox_.discard(from, response.sender_token);
    if (!expected) return;
    transfers_.withdraw_clear(*operation);
    return end(*operation);
  }
  transfers_.withdraw_clear(*operation);  // a REPLY has come, so the writes for the CLEAR do not

  const std::uint64_t offset = request->sent.return_offset;
  const std::uint64_t size = descriptor->region().length();
  // Shorter than the requested length only if the descriptor was updated meanwhile.
  const std::uint64_t room = offset <= size ? size - offset : 0;
  const std::uint64_t length = std::min({response.manipulated_length, request->sent.length, room});
  interface->entries.charge(*descriptor);
  Completion completion;
  Event& event = completion.event;
  event = response_event(response);
  event.manipulated_length = length;
  event.offset = offset;
  event.user_pointer = request->user_pointer;
  interface->registers.received(length);
  interface->open(completion, *descriptor, EventKind::kReplyStart, EventKind::kReplyEnd);
  if (!announced) {
    counters_.add(Counter::kEagerCopies);
    if (length > 0) descriptor->region().write(offset, payload.first(length));
    interface->close(std::move(completion), static_cast<Failure>(response.failure));
    return end(*operation);
  }
  request->answered = true;
  if (length > 0 && transfers_.begin_sink(*operation, {&descriptor->region(), offset, length},
                                          response.sender_token, completion, {}))
    return;
  interface->close(std::move(completion), length > 0 ? Failure::kFailed : Failure::kNone);
  end(*operation);
  outbox_.discard(from, response.sender_token);
}

// Logs the REPLY_END of a get without a REPLY: `length` bytes are in place, or the get will not be
// answered and the event reports a failure.
void Initiator::log_reply(NetworkInterface& interface, const PendingRequest& request,
                          std::uint64_t length, Failure failure) {
  MemoryDescriptor* descriptor = interface.descriptors.get(request.descriptor());
  if (descriptor == nullptr) return;
  Completion completion;
  Event& event = completion.event;
  event.initiator = {NodeId(request.sent.target_nid), Pid(request.sent.target_pid)};
  event.portal_index = request.sent.portal_index;
  event.match_bits = request.sent.match_bits;
  event.requested_length = request.sent.length;
  event.manipulated_length = length;
  event.offset = request.sent.return_offset;
  event.remote_offset = request.sent.offset;
  event.user_pointer = request.user_pointer;
  interface.entries.charge(*descriptor);
  interface.open(completion, *descriptor, EventKind::kReplyStart, EventKind::kReplyEnd);
  interface.close(std::move(completion), failure);
}

}  // namespace lintel::portals
