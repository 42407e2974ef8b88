// Operations that counting events trigger. They are carried out one after the other and never
// inside each other, even if one triggers another.

#include "base/assert.h"
#include "portals/engine/protocol/initiator.h"
#include "portals/engine/protocol/request_message.h"

namespace lintel::portals {

namespace {

using wire::MessageKind;

std::uint64_t most_bytes(const InterfaceLimits& limits, MessageKind kind) {
  switch (kind) {
    case MessageKind::kAtomic: return limits.max_atomic_bytes;
    case MessageKind::kFetchAtomic:
    case MessageKind::kSwap: return limits.max_fetch_bytes;
    default: return limits.max_message_bytes;
  }
}

bool is_put_like(MessageKind kind) {
  return kind == MessageKind::kPut || kind == MessageKind::kAtomic;
}

}  // namespace

MessageKind message_kind(TriggeredKind kind) {
  switch (kind) {
    case TriggeredKind::kPut: return MessageKind::kPut;
    case TriggeredKind::kAtomic: return MessageKind::kAtomic;
    case TriggeredKind::kGet: return MessageKind::kGet;
    case TriggeredKind::kFetchAtomic: return MessageKind::kFetchAtomic;
    case TriggeredKind::kSwap: return MessageKind::kSwap;
    case TriggeredKind::kIncrement:
    case TriggeredKind::kSet: break;  // not an operation on the network
  }
  LINTEL_ASSERT(false);
  return MessageKind::kPut;
}

bool Initiator::carry_out_triggered() {
  bool waiting = false;
  for (bool again = true; again;) {
    again = false;
    waiting = false;
    interfaces_.for_each([&](NetworkInterface& interface) LINTEL_REQUIRES(kLock) {
      again |= interface.triggers.carry_out_due(
          [&](const TriggeredOperation& operation)
              LINTEL_REQUIRES(kLock) { return carry_out(interface, operation); });
      waiting |= interface.triggers.has_due();
    });
  }
  return waiting;
}

// Finds the errors of the program in an operation, which begins now or later. `prepared` is used if
// it begins now.
Status Initiator::check(NetworkInterface& interface, MessageKind kind,
                        const RequestArguments& arguments, Prepared& prepared) {
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk)
    return status;
  const InterfaceLimits& limits = interface.limits();
  if (arguments.length > most_bytes(limits, kind)) return Status::kDescriptorIllegal;
  if (arguments.is_volatile && arguments.length > limits.max_volatile_bytes)
    return Status::kDescriptorIllegal;
  if (is_put_like(kind) || kind == MessageKind::kGet) return Status::kOk;
  const MemoryDescriptor* to = interface.descriptors.get(arguments.get_descriptor);
  if (to == nullptr || !to->active()) return Status::kDescriptorInvalid;
  return to->region().holds(arguments.get_offset, arguments.length) ? Status::kOk
                                                                    : Status::kDescriptorIllegal;
}

Status Initiator::start(NetworkInterface& interface, MessageKind kind,
                        const RequestArguments& arguments) {
  if (interface.is_portals3()) {
    if (kind == MessageKind::kPut) return put(interface, arguments);
    return kind == MessageKind::kGet ? get(interface, arguments) : get_put(interface, arguments);
  }
  Prepared prepared;
  if (const Status status = check(interface, kind, arguments, prepared); status != Status::kOk)
    return status;
  if (is_put_like(kind)) return send_put(interface, arguments, prepared, kind);
  return kind == MessageKind::kGet ? send_get(interface, arguments, prepared)
                                   : send_fetch(interface, arguments, prepared, kind);
}

Status Initiator::start_when(NetworkInterface& interface, TriggeredKind kind,
                             const RequestArguments& arguments, SlotId counter,
                             std::uint64_t threshold) {
  Prepared prepared;
  if (const Status status = check(interface, message_kind(kind), arguments, prepared);
      status != Status::kOk)
    return status;
  TriggeredOperation* operation = nullptr;
  if (const Status status = interface.triggers.prepare(counter, threshold, kind, operation);
      status != Status::kOk)
    return status;
  operation->arguments = arguments;
  interface.triggers.arm(counter, *operation);
  return Status::kOk;
}

// Does what the program's call would do now. False: there is no room, and nothing has happened.
bool Initiator::carry_out(NetworkInterface& interface, const TriggeredOperation& operation) {
  switch (operation.kind) {
    // It fails only if its counting event was freed.
    case TriggeredKind::kIncrement:
      static_cast<void>(interface.triggers.increment_counter(operation.counter, operation.value));
      return true;
    case TriggeredKind::kSet:
      static_cast<void>(interface.triggers.set_counter(operation.counter, operation.value));
      return true;
    default: break;
  }
  const MessageKind kind = message_kind(operation.kind);
  const Status status = start(interface, kind, operation.arguments);
  if (status == Status::kNoSpace) return false;
  ++fired_[interface.kind()];
  if (status != Status::kOk)
    fail_to_start(interface, kind, operation.arguments, operation.arguments.length,
                  Failure::kFailed);
  return true;
}

// No call can return the failure. So the operation ends like one whose message could not leave,
// with the events and counts of that.
void Initiator::fail_to_start(NetworkInterface& interface, MessageKind kind,
                              const RequestArguments& arguments, std::uint64_t length,
                              Failure failure) {
  PendingRequest record(is_put_like(kind) ? PendingKind::kPut : PendingKind::kGet);
  record.sent = make_request(interface, kind, arguments, length);
  if (arguments.ack != AckRequest::kNone) record.sent.header.flags |= wire::kFlagAckWanted;
  const SlotId answered = is_put_like(kind) || kind == MessageKind::kGet ? arguments.descriptor
                                                                         : arguments.get_descriptor;
  record.sent.md_handle = answered.slot;
  record.sent.md_generation = answered.generation;
  record.user_pointer = arguments.user_pointer;
  record.ack = arguments.ack;
  if (kind != MessageKind::kGet) {
    MemoryDescriptor& descriptor = *interface.descriptors.get(arguments.descriptor);
    interface.entries.charge(descriptor);
    Completion send = open_send(interface, descriptor, record.sent, arguments.user_pointer);
    interface.close(std::move(send), failure);
  }
  if (is_put_like(kind)) {
    log_no_ack(interface, record, failure, true);
  } else {
    log_reply(interface, record, 0, failure);
  }
}

Status Initiator::fail_unstarted(NetworkInterface& interface, MessageKind kind,
                                 const RequestArguments& arguments) {
  Prepared prepared;
  if (const Status status = prepare(interface, arguments, prepared); status != Status::kOk)
    return status;
  const bool fetches = !is_put_like(kind) && kind != MessageKind::kGet;
  if (fetches && interface.descriptors.get(arguments.get_descriptor) == nullptr)
    return Status::kDescriptorInvalid;
  fail_to_start(interface, kind, arguments, prepared.length, Failure::kPeerDead);
  return Status::kOk;
}

}  // namespace lintel::portals
