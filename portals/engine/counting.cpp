// Counting events and triggered operations of a network interface (Portals 4).

#include "base/assert.h"
#include "portals/engine/network_interface.h"

namespace lintel::portals {
namespace {

// Which of a descriptor's options make its counting event count events of this kind.
std::uint32_t counts(EventKind kind) {
  switch (kind) {
    case EventKind::kSendEnd: return option::kCountSend;
    case EventKind::kReplyEnd: return option::kCountReply;
    case EventKind::kAck: return option::kCountAck;
    case EventKind::kPutEnd:
    case EventKind::kGetEnd:
    case EventKind::kAtomicEnd:
    case EventKind::kFetchAtomicEnd: return option::kCountTarget;
    case EventKind::kPutOverflow:
    case EventKind::kGetOverflow:
    case EventKind::kAtomicOverflow:
    case EventKind::kFetchAtomicOverflow:
    case EventKind::kSearch: return option::kCountOverflow;
    default: return 0;
  }
}

bool is_increment(const CountingEvent::Value& value) { return value.success == 0 || value.failure == 0; }

}  // namespace

Status NetworkInterface::allocate_counter(SlotId& made) {
  const auto [counter, id] = counting_events_.create();
  if (counter == nullptr) return Status::kNoSpace;
  counter->id = id;
  made = id;
  return Status::kOk;
}

Status NetworkInterface::free_counter(SlotId id) {
  if (const Status status = cancel_triggered(id); status != Status::kOk) return status;
  if (counting_events_.get(id)->sleepers > 0) attention_.wake_needed = true;
  descriptors_.for_each([id](SlotId, MemoryDescriptor& descriptor) {
    if (descriptor.counter() == id) descriptor.forget_counter();
  });
  counting_events_.destroy(id);
  return Status::kOk;
}

Status NetworkInterface::cancel_triggered(SlotId id) {
  CountingEvent* counter = counting_events_.get(id);
  if (counter == nullptr) return Status::kCounterInvalid;
  while (Triggered* operation = counter->take_any()) release(static_cast<TriggeredOperation&>(*operation));
  return Status::kOk;
}

Status NetworkInterface::set_counter(SlotId id, const CountingEvent::Value& value) {
  CountingEvent* counter = counting_events_.get(id);
  if (counter == nullptr) return Status::kCounterInvalid;
  counter->set(value);
  counter_changed(*counter);
  return Status::kOk;
}

Status NetworkInterface::increment_counter(SlotId id, const CountingEvent::Value& value) {
  CountingEvent* counter = counting_events_.get(id);
  if (counter == nullptr || !is_increment(value)) return Status::kCounterInvalid;
  counter->add(value);
  counter_changed(*counter);
  return Status::kOk;
}

Status NetworkInterface::prepare_triggered(SlotId id, std::uint64_t threshold, TriggeredOperation::Kind kind, TriggeredOperation*& made) {
  const CountingEvent* counter = counting_events_.get(id);
  if (counter == nullptr) return Status::kCounterInvalid;
  if (counter->armed() >= limits_.max_triggered) return Status::kNoSpace;
  const auto [operation, slot] = triggered_.create(threshold, kind);
  if (operation == nullptr) return Status::kNoSpace;
  operation->id = slot;
  made = operation;
  return Status::kOk;
}

Status NetworkInterface::change_counter_when(SlotId trigger, std::uint64_t threshold, TriggeredOperation::Kind kind, SlotId counter,
                                             const CountingEvent::Value& value) {
  if (counting_events_.get(counter) == nullptr) return Status::kCounterInvalid;
  if (kind == TriggeredOperation::Kind::kIncrement && !is_increment(value)) return Status::kCounterInvalid;
  TriggeredOperation* operation = nullptr;
  if (const Status status = prepare_triggered(trigger, threshold, kind, operation); status != Status::kOk) return status;
  operation->counter = counter;
  operation->value = value;
  arm(trigger, *operation);
  return Status::kOk;
}

// Its descriptors stay busy until it has been carried out: the program may not release them before.
void NetworkInterface::arm(SlotId id, TriggeredOperation& operation) {
  CountingEvent* counter = counting_events_.get(id);
  LINTEL_ASSERT(counter != nullptr);
  for (const SlotId used : {operation.arguments.descriptor, operation.arguments.get_descriptor}) {
    if (MemoryDescriptor* descriptor = descriptors_.get(used)) descriptor->begin(MemoryDescriptor::Awaits::kTrigger);
  }
  counter->arm(operation);
  counter_changed(*counter);
}

TriggeredOperation* NetworkInterface::take_due() {
  if (due_.empty()) return nullptr;
  TriggeredOperation& first = due_.front();
  due_.pop_front();
  return &first;
}

void NetworkInterface::release(TriggeredOperation& operation) {
  for (const SlotId used : {operation.arguments.descriptor, operation.arguments.get_descriptor}) {
    if (MemoryDescriptor* descriptor = descriptors_.get(used)) descriptor->end(MemoryDescriptor::Awaits::kTrigger);
  }
  triggered_.destroy(operation.id);
}

void NetworkInterface::counter_changed(CountingEvent& counter) {
  if (counter.sleepers > 0) attention_.wake_needed = true;
  // Not carried out here: one may trigger the next, to any depth, and this may be in the middle of a message.
  while (Triggered* operation = counter.take_due()) {
    due_.push_back(static_cast<TriggeredOperation&>(*operation));
    attention_.triggers_due = true;
  }
}

// The program hears of an operation of this kind that succeeds.
bool NetworkInterface::tells(const MemoryDescriptor& descriptor, EventKind kind) {
  const std::uint32_t silent = option::kSuccessDisable | option::kEndDisable | (kind == EventKind::kSendEnd ? option::kSendDisable : 0);
  return (descriptor.queue().generation != 0 && !descriptor.has(silent)) ||
         (descriptor.counter().generation != 0 && descriptor.has(counts(kind)));
}

bool NetworkInterface::idle_soon(SlotId id) {
  using Awaits = MemoryDescriptor::Awaits;
  const MemoryDescriptor* descriptor = descriptors_.get(id);
  if (descriptor == nullptr || !descriptor->busy() || descriptor->awaits(Awaits::kTrigger)) return false;
  if (descriptor->awaits(Awaits::kReply) && tells(*descriptor, EventKind::kReplyEnd)) return false;
  return !descriptor->data_move() || !tells(*descriptor, EventKind::kSendEnd);
}

void NetworkInterface::count(const MemoryDescriptor& descriptor, const Event& event) {
  if (descriptor.counter().generation == 0) return;
  const std::uint32_t options = descriptor.snapshot().options;
  if ((options & counts(event.kind)) == 0) return;
  CountingEvent* counter = counting_events_.get(descriptor.counter());
  if (counter == nullptr) return;
  if (event.failure != Failure::kNone) {
    counter->add({0, 1});
  } else if ((options & option::kCountBytes) != 0) {
    counter->add({event.kind == EventKind::kSendEnd ? event.requested_length : event.manipulated_length, 0});
  } else {
    counter->add({1, 0});
  }
  counter_changed(*counter);
}

}  // namespace lintel::portals
