#include "portals/engine/events/triggers.h"

#include "base/assert.h"

namespace lintel::portals {
namespace {

// Which of a descriptor's options make its counting event count events of this kind.
std::uint32_t counting_option(EventKind kind) {
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

bool is_increment(const CountingEvent::Value& value) {
  return value.success == 0 || value.failure == 0;
}

}  // namespace

Status Triggers::allocate_counter(SlotId& made) {
  const auto [counter, id] = counters_.create();
  if (counter == nullptr) return Status::kNoSpace;
  counter->id = id;
  made = id;
  return Status::kOk;
}

Status Triggers::free_counter(SlotId id) {
  if (const Status status = cancel(id); status != Status::kOk) return status;
  if (counters_.get(id)->sleepers > 0) pending_work_.wake_needed = true;
  descriptors_.forget_counter(id);
  counters_.destroy(id);
  return Status::kOk;
}

Status Triggers::cancel(SlotId id) {
  CountingEvent* counter = counters_.get(id);
  if (counter == nullptr) return Status::kCounterInvalid;
  while (Triggered* operation = counter->take_any())
    release(static_cast<TriggeredOperation&>(*operation));
  return Status::kOk;
}

Status Triggers::set_counter(SlotId id, const CountingEvent::Value& value) {
  CountingEvent* counter = counters_.get(id);
  if (counter == nullptr) return Status::kCounterInvalid;
  counter->set(value);
  changed(*counter);
  return Status::kOk;
}

Status Triggers::increment_counter(SlotId id, const CountingEvent::Value& value) {
  CountingEvent* counter = counters_.get(id);
  if (counter == nullptr || !is_increment(value)) return Status::kCounterInvalid;
  counter->add(value);
  changed(*counter);
  return Status::kOk;
}

Status Triggers::prepare(SlotId id, std::uint64_t threshold, TriggeredKind kind,
                         TriggeredOperation*& made) {
  const CountingEvent* counter = counters_.get(id);
  if (counter == nullptr) return Status::kCounterInvalid;
  if (counter->armed() >= max_triggered_) return Status::kNoSpace;
  const auto [operation, slot] = operations_.create(threshold, kind);
  if (operation == nullptr) return Status::kNoSpace;
  operation->id = slot;
  made = operation;
  return Status::kOk;
}

Status Triggers::change_counter_when(SlotId trigger, std::uint64_t threshold, TriggeredKind kind,
                                     SlotId counter, const CountingEvent::Value& value) {
  if (counters_.get(counter) == nullptr) return Status::kCounterInvalid;
  if (kind == TriggeredKind::kIncrement && !is_increment(value)) return Status::kCounterInvalid;
  TriggeredOperation* operation = nullptr;
  if (const Status status = prepare(trigger, threshold, kind, operation); status != Status::kOk)
    return status;
  operation->counter = counter;
  operation->value = value;
  arm(trigger, *operation);
  return Status::kOk;
}

// Its descriptors are busy until it has been carried out, so that the program cannot release them
// before.
void Triggers::arm(SlotId id, TriggeredOperation& operation) {
  CountingEvent* counter = counters_.get(id);
  LINTEL_ASSERT(counter != nullptr);
  for (const SlotId used : {operation.arguments.descriptor, operation.arguments.get_descriptor}) {
    if (MemoryDescriptor* descriptor = descriptors_.get(used))
      descriptor->begin(MemoryDescriptor::Awaits::kTrigger);
  }
  operation.trigger = id;
  counter->arm(operation);
  changed(*counter);
}

void Triggers::release(TriggeredOperation& operation) {
  for (const SlotId used : {operation.arguments.descriptor, operation.arguments.get_descriptor}) {
    if (MemoryDescriptor* descriptor = descriptors_.get(used))
      descriptor->end(MemoryDescriptor::Awaits::kTrigger);
  }
  operations_.destroy(operation.id);
}

void Triggers::changed(CountingEvent& counter) {
  if (counter.sleepers > 0) pending_work_.wake_needed = true;
  // They are not carried out here, because one may trigger the next, to any depth, and a message
  // may be in progress.
  while (Triggered* operation = counter.take_due()) {
    due_.add(static_cast<TriggeredOperation&>(*operation));
    pending_work_.triggers_due = true;
  }
}

bool Triggers::counts(const MemoryDescriptor& descriptor, EventKind kind) {
  return descriptor.counter().generation != 0 && descriptor.has(counting_option(kind));
}

void Triggers::count_in(const MemoryDescriptor& descriptor, const Event& event) {
  const std::uint32_t options = descriptor.snapshot().options;
  if ((options & counting_option(event.kind)) == 0) return;
  CountingEvent* counter = counters_.get(descriptor.counter());
  if (counter == nullptr) return;
  if (event.failure != Failure::kNone) {
    counter->add({0, 1});
  } else if ((options & option::kCountBytes) != 0) {
    counter->add(
        {event.kind == EventKind::kSendEnd ? event.requested_length : event.manipulated_length, 0});
  } else {
    counter->add({1, 0});
  }
  changed(*counter);
}

void Triggers::drop_all() {
  counters_.for_each([this](SlotId id, CountingEvent&) {
    kLock.is_held();
    static_cast<void>(free_counter(id));
  });
  due_.drop_all([this](TriggeredOperation& dropped) LINTEL_REQUIRES(kLock) { release(dropped); });
}

}  // namespace lintel::portals
