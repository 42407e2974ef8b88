// Operations that counting events set off. They are carried out one after the other and never inside each other, whatever triggers what.

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

// As if the program had made the call now. What cannot be started then can tell nobody but the counting events that wait for it.
void Endpoint::carry_out(NetworkInterface& interface, const TriggeredOperation& operation) {
  Status status = Status::kOk;
  switch (operation.kind) {
    case TriggeredOperation::Kind::kPut: status = put(interface, operation.arguments); break;
    case TriggeredOperation::Kind::kAtomic: status = atomic(interface, operation.arguments); break;
    case TriggeredOperation::Kind::kGet: status = get(interface, operation.arguments); break;
    case TriggeredOperation::Kind::kFetchAtomic: status = fetch(interface, operation.arguments, MessageKind::kFetchAtomic); break;
    case TriggeredOperation::Kind::kSwap: status = fetch(interface, operation.arguments, MessageKind::kSwap); break;
    case TriggeredOperation::Kind::kIncrement: status = interface.increment_counter(operation.counter, operation.value); break;
    case TriggeredOperation::Kind::kSet: status = interface.set_counter(operation.counter, operation.value); break;
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
