// Operations that counting events set off. They are carried out one after the other and never inside each other, whatever triggers what.

#include "base/assert.h"
#include "portals/engine/endpoint.h"

namespace lintel::portals {

using wire::MessageKind;

void Endpoint::carry_out_triggered() {
  for (bool again = true; again;) {
    again = false;
    for (NetworkInterface* interface : interfaces_) {
      while (TriggeredOperation* operation = interface != nullptr ? interface->take_due() : nullptr) {
        carry_out(*interface, *operation);
        interface->release(*operation);
        again = true;
      }
    }
  }
}

Status Endpoint::start(NetworkInterface& interface, TriggeredOperation::Kind kind, const RequestArguments& arguments) {
  switch (kind) {
    case TriggeredOperation::Kind::kPut: return put(interface, arguments);
    case TriggeredOperation::Kind::kAtomic: return atomic(interface, arguments);
    case TriggeredOperation::Kind::kGet: return get(interface, arguments);
    case TriggeredOperation::Kind::kFetchAtomic: return fetch(interface, arguments, MessageKind::kFetchAtomic);
    case TriggeredOperation::Kind::kSwap: return fetch(interface, arguments, MessageKind::kSwap);
    case TriggeredOperation::Kind::kIncrement:
    case TriggeredOperation::Kind::kSet: break;  // nothing for the network
  }
  LINTEL_ASSERT(false);
  return Status::kFailed;
}

// As if the program had made the call now. What cannot be started then can tell nobody but the counting events that wait for it.
void Endpoint::carry_out(NetworkInterface& interface, const TriggeredOperation& operation) {
  Status status = Status::kOk;
  switch (operation.kind) {
    case TriggeredOperation::Kind::kIncrement: status = interface.increment_counter(operation.counter, operation.value); break;
    case TriggeredOperation::Kind::kSet: status = interface.set_counter(operation.counter, operation.value); break;
    default: status = start(interface, operation.kind, operation.arguments); break;
  }
  if (status == Status::kOk) return;
  const auto fails = [&interface](SlotId id, std::uint32_t counted) {
    const MemoryDescriptor* descriptor = interface.descriptor(id);
    if (descriptor != nullptr && descriptor->has(counted)) static_cast<void>(interface.increment_counter(descriptor->counter(), {0, 1}));
  };
  switch (operation.kind) {
    case TriggeredOperation::Kind::kPut:
    case TriggeredOperation::Kind::kAtomic:
      fails(operation.arguments.descriptor, option::kCountSend);
      if (operation.arguments.ack != AckRequest::kNone) fails(operation.arguments.descriptor, option::kCountAck);
      break;
    case TriggeredOperation::Kind::kGet: fails(operation.arguments.descriptor, option::kCountReply); break;
    case TriggeredOperation::Kind::kFetchAtomic:
    case TriggeredOperation::Kind::kSwap:
      fails(operation.arguments.descriptor, option::kCountSend);
      fails(operation.arguments.get_descriptor, option::kCountReply);
      break;
    case TriggeredOperation::Kind::kIncrement:
    case TriggeredOperation::Kind::kSet: break;  // the counting event has been freed
  }
}

}  // namespace lintel::portals
