#include "portals/engine/network_interface.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"
#include "portals/engine/handle.h"

namespace lintel::portals {
namespace {

// Unexpected messages that are claimed already, but not in place: each is an operation of the endpoint.
constexpr std::size_t kMaxLanding = std::size_t{1} << 19;

bool empty_id(SlotId id) { return id.generation == 0; }

}  // namespace

NetworkInterface::NetworkInterface(std::uint8_t kind, const Identity& identity, const Limits& limits, Counters& counters,
                                   Attention& attention, std::uint32_t first_generation)
    : kind_(kind),
      identity_(identity),
      limits_(limits),
      counters_(counters),
      access_(limits.max_access_index, identity.user),
      portals_(std::size_t{limits.max_portal_index} + 1),
      entries_(limits.max_entries, kGenerationBits, first_generation),
      descriptors_(kind == kPortals3Kind ? limits.max_descriptors : std::size_t{limits.max_descriptors} + limits.max_entries + kMaxSearches,
                   kGenerationBits, first_generation),
      queues_(limits.max_queues, kGenerationBits, first_generation),
      counting_events_(limits.max_counters, kGenerationBits, first_generation),
      triggered_(std::size_t{limits.max_counters} * limits.max_triggered),
      unexpected_(std::size_t{limits.max_unexpected} * portals_.size() + kMaxLanding),
      attention_(attention) {
  LINTEL_ASSERT(std::max(entries_.limit(), descriptors_.limit()) < std::size_t{1} << kSlotBits);
  if (!is_portals3()) return;
  for (Portal& portal : portals_) portal.state = Portal::State::kEnabled;
}

std::uint32_t NetworkInterface::next_generation() const {
  return std::max(
      {entries_.next_generation(), descriptors_.next_generation(), queues_.next_generation(), counting_events_.next_generation()});
}

NetworkInterface::~NetworkInterface() { drop_objects(); }

// ---- Match entries

Status NetworkInterface::make_entry(std::uint32_t portal_index, const MatchCriteria& criteria, bool unlink_with_descriptor,
                                    MatchEntry*& made) {
  if (portals_[portal_index].priority.size() >= limits_.max_list_length) return Status::kListTooLong;
  const auto [entry, id] = entries_.create(criteria, portal_index, unlink_with_descriptor);
  if (entry == nullptr) return Status::kNoSpace;
  entry->id = id;
  made = entry;
  return Status::kOk;
}

Status NetworkInterface::attach_entry(std::uint32_t portal_index, const MatchCriteria& criteria, bool unlink_with_descriptor, ListEnd end,
                                      SlotId& made) {
  if (portal_index > limits_.max_portal_index) return Status::kPortalInvalid;
  MatchEntry* entry = nullptr;
  if (const Status status = make_entry(portal_index, criteria, unlink_with_descriptor, entry); status != Status::kOk) return status;
  portals_[portal_index].priority.attach(*entry, end);
  made = entry->id;
  return Status::kOk;
}

Status NetworkInterface::attach_entry_anywhere(const MatchCriteria& criteria, bool unlink_with_descriptor, std::uint32_t& portal_index,
                                               SlotId& made) {
  for (std::uint32_t index = 0; index <= limits_.max_portal_index; ++index) {
    if (!portals_[index].priority.empty()) continue;
    const Status status = attach_entry(index, criteria, unlink_with_descriptor, ListEnd::kTail, made);
    if (status == Status::kOk) portal_index = index;
    return status;
  }
  return Status::kPortalFull;
}

Status NetworkInterface::insert_entry(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side, SlotId& made) {
  MatchEntry* neighbour = entries_.get(base);
  if (neighbour == nullptr) return Status::kEntryInvalid;
  MatchEntry* entry = nullptr;
  const std::uint32_t portal_index = neighbour->portal_index();
  if (const Status status = make_entry(portal_index, criteria, unlink_with_descriptor, entry); status != Status::kOk) return status;
  portals_[portal_index].priority.insert(*entry, *neighbour, side);
  made = entry->id;
  return Status::kOk;
}

Status NetworkInterface::unlink_entry(SlotId id) {
  MatchEntry* entry = entries_.get(id);
  if (entry == nullptr) return Status::kEntryInvalid;
  if (MemoryDescriptor* descriptor = entry->descriptor) {
    if (descriptor->in_use()) return Status::kEntryInUse;
    descriptor->entry = nullptr;
    remove_descriptor(*descriptor);
  }
  remove_entry(*entry);
  return Status::kOk;
}

void NetworkInterface::remove_entry(MatchEntry& entry) {
  list_of(entry).remove(entry);
  entries_.destroy(entry.id);
}

// ---- Memory descriptors

Status NetworkInterface::make_descriptor(DescriptorRules rules, bool unlink_when_used_up, MatchEntry* entry, SlotId& made) {
  if (!empty_id(rules.described.queue) && queues_.get(rules.described.queue) == nullptr) return Status::kQueueInvalid;
  const auto [descriptor, id] = descriptors_.create(std::move(rules), unlink_when_used_up);
  if (descriptor == nullptr) return Status::kNoSpace;
  descriptor->id = id;
  descriptor->entry = entry;
  if (entry != nullptr) {
    entry->descriptor = descriptor;
    list_of(*entry).set_matchable(*entry, descriptor->active());
  }
  made = id;
  return Status::kOk;
}

Status NetworkInterface::attach_descriptor(SlotId entry_id, DescriptorRules rules, bool unlink_when_used_up, SlotId& made) {
  MatchEntry* entry = entries_.get(entry_id);
  if (entry == nullptr) return Status::kEntryInvalid;
  if (entry->descriptor != nullptr) return Status::kEntryInUse;
  return make_descriptor(std::move(rules), unlink_when_used_up, entry, made);
}

Status NetworkInterface::bind_descriptor(DescriptorRules rules, bool unlink_when_used_up, SlotId& made) {
  if (!is_portals3() && bound_ >= limits_.max_descriptors) return Status::kNoSpace;
  const Status status = make_descriptor(std::move(rules), unlink_when_used_up, nullptr, made);
  if (status == Status::kOk) ++bound_;
  return status;
}

void NetworkInterface::remove_descriptor(MemoryDescriptor& descriptor) {
  MatchEntry* entry = descriptor.entry;
  descriptors_.destroy(descriptor.id);
  if (entry == nullptr) return;
  entry->descriptor = nullptr;
  if (entry->unlink_with_descriptor()) {
    remove_entry(*entry);
  } else {
    list_of(*entry).set_matchable(*entry, false);
  }
}

Status NetworkInterface::unlink_descriptor(SlotId id) {
  MemoryDescriptor* descriptor = descriptors_.get(id);
  if (descriptor == nullptr) return Status::kDescriptorInvalid;
  if (descriptor->busy()) return Status::kDescriptorInUse;
  if (descriptor->entry == nullptr) --bound_;
  remove_descriptor(*descriptor);
  return Status::kOk;
}

Status NetworkInterface::update_descriptor(SlotId id, DescriptorRules rules, SlotId test_queue) {
  MemoryDescriptor* descriptor = descriptors_.get(id);
  if (descriptor == nullptr) return Status::kDescriptorInvalid;
  if (!empty_id(rules.described.queue) && queues_.get(rules.described.queue) == nullptr) return Status::kQueueInvalid;
  if (!empty_id(test_queue)) {
    const EventQueue* queue = queues_.get(test_queue);
    if (queue == nullptr) return Status::kQueueInvalid;
    if (!queue->quiet()) return Status::kNoUpdate;
  }
  // Used up and only waiting for its last operation to end: it is as good as unlinked.
  if (descriptor->unlink_due()) return Status::kDescriptorInvalid;
  descriptor->describe(std::move(rules));
  if (descriptor->entry != nullptr) list_of(*descriptor->entry).set_matchable(*descriptor->entry, descriptor->active());
  return Status::kOk;
}

Status NetworkInterface::post_entry(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side,
                                    DescriptorRules rules, bool unlink_when_used_up, SlotId test_queue, SlotId& made_entry,
                                    SlotId& made_descriptor) {
  if (!empty_id(test_queue)) {
    const EventQueue* queue = queues_.get(test_queue);
    if (queue == nullptr) return Status::kQueueInvalid;
    if (!queue->quiet()) return Status::kNoUpdate;
  }
  SlotId entry;
  if (const Status status = insert_entry(base, criteria, unlink_with_descriptor, side, entry); status != Status::kOk) return status;
  SlotId descriptor;
  if (const Status status = attach_descriptor(entry, std::move(rules), unlink_when_used_up, descriptor); status != Status::kOk) {
    remove_entry(*entries_.get(entry));
    return status;
  }
  made_entry = entry;
  made_descriptor = descriptor;
  return Status::kOk;
}

// ---- Event queues

Status NetworkInterface::allocate_queue(std::uint64_t count, EventQueue::FaceData face_data, SlotId& made, std::uint32_t spare,
                                        bool grows) {
  if (count == 0 || count > kMaxQueueEvents) return Status::kNoSpace;
  try {
    const auto [queue, id] = queues_.create(count, face_data, spare, grows);
    if (queue == nullptr) return Status::kNoSpace;
    queue->id = id;
    made = id;
    return Status::kOk;
  } catch (const std::bad_alloc&) {
    return Status::kNoSpace;
  }
}

Status NetworkInterface::free_queue(SlotId id) {
  EventQueue* queue = queues_.get(id);
  if (queue == nullptr) return Status::kQueueInvalid;
  if (queue->sleepers > 0) attention_.wake_needed = true;
  descriptors_.for_each([id](SlotId, MemoryDescriptor& descriptor) {
    if (descriptor.queue() == id) descriptor.forget_queue();
  });
  queues_.destroy(id);
  return Status::kOk;
}

void NetworkInterface::peer_lost(ProcessId peer) {
  EventQueue* const queue = queues_.get(losses_queue_);
  if (queue == nullptr) return;
  Event event;
  event.kind = EventKind::kPeerLost;
  event.failure = Failure::kPeerDead;
  event.initiator = peer;
  deposit(*queue, event);
}

// ---- Accounting and events

void NetworkInterface::charge_accepted(MemoryDescriptor& descriptor, const MemoryDescriptor::Acceptance& acceptance) {
  const bool was_due = descriptor.unlink_due();
  descriptor.charge_accepted(acceptance);
  settle_activity(descriptor, was_due);
}

void NetworkInterface::charge(MemoryDescriptor& descriptor) {
  const bool was_due = descriptor.unlink_due();
  descriptor.charge();
  settle_activity(descriptor, was_due);
}

void NetworkInterface::settle_activity(MemoryDescriptor& descriptor, bool was_due) {
  // A used-up entry leaves the index at once, so it costs no later search anything.
  if (!descriptor.active() && descriptor.entry != nullptr) {
    list_of(*descriptor.entry).set_matchable(*descriptor.entry, false);
  }
  owe_unlink(descriptor, was_due);
}

void NetworkInterface::owe_unlink(const MemoryDescriptor& descriptor, bool was_due) {
  if (was_due || !descriptor.unlink_due() || descriptor.has(option::kUnlinkDisable)) return;
  if (EventQueue* queue = queues_.get(descriptor.queue())) queue->owe(1);
}

void NetworkInterface::fill(Event& event, const MemoryDescriptor& descriptor, EventKind kind) const {
  event.kind = kind;
  event.descriptor = descriptor.id;
  if (is_portals3()) event.snapshot = descriptor.snapshot();  // the others' events do not show it
}

std::uint32_t NetworkInterface::deposit(EventQueue& queue, const Event& event) {
  const EventQueue::Deposited deposited = queue.deposit(event);
  if (deposited.lost_one) counters_.add(Counter::kEventQueueOverflows);
  if (queue.sleepers > 0) attention_.wake_needed = true;
  return deposited.sequence;
}

Event& NetworkInterface::place(EventQueue& queue) {
  const EventQueue::Placed placed = queue.place();
  if (placed.lost_one) counters_.add(Counter::kEventQueueOverflows);
  if (queue.sleepers > 0) attention_.wake_needed = true;
  return placed.event;
}

void NetworkInterface::open(Completion& completion, MemoryDescriptor& descriptor, EventKind start, EventKind end) {
  descriptor.begin();
  completion.interface = this;
  completion.link_to_itself = true;
  fill(completion.event, descriptor, start);
  if (EventQueue* queue = queues_.get(descriptor.queue())) {
    if (!descriptor.has(option::kStartDisable)) {
      completion.event.link = queue->next_sequence();
      deposit(*queue, completion.event);
      completion.link_to_itself = false;
    }
    completion.log_end = !descriptor.has(end == EventKind::kSendEnd ? option::kEndDisable | option::kSendDisable : option::kEndDisable);
    if (completion.log_end) queue->owe_end(end);
    completion.queue = descriptor.queue();
  }
  completion.event.kind = end;
}

void NetworkInterface::close(Completion& completion, Failure failure) {
  Event& event = completion.event;
  MemoryDescriptor* descriptor = descriptors_.get(event.descriptor);
  LINTEL_ASSERT(completion.interface == this && descriptor != nullptr);
  event.failure = failure;
  bool logged = false;
  std::uint32_t sequence = 0;
  if (completion.log_end) {
    // The queue may have been freed meanwhile; its successor in the same slot has another generation.
    if (EventQueue* queue = queues_.get(completion.queue)) {
      queue->settle_end(event.kind);
      if (failure != Failure::kNone || !descriptor->has(option::kSuccessDisable)) {
        if (completion.link_to_itself) event.link = queue->next_sequence();
        sequence = deposit(*queue, event);
        logged = true;
      }
    }
  }
  count(*descriptor, event);
  descriptor->end();
  completion.interface = nullptr;
  unlink_if_due(*descriptor, event, logged, sequence);
  if (completion.unexpected.generation != 0) landed(portals_[event.portal_index], completion.unexpected, failure);
  if (completion.on_portal) leave_portal(event, completion.portal_turn);
}

void NetworkInterface::log_single(MemoryDescriptor& descriptor, Event& event, EventKind kind, Failure failure, bool count_only) {
  fill(event, descriptor, kind);
  event.failure = failure;
  bool logged = false;
  std::uint32_t sequence = 0;
  const bool silent = count_only || (failure == Failure::kNone && descriptor.has(option::kSuccessDisable));
  count(descriptor, event);
  if (EventQueue* queue = silent ? nullptr : queues_.get(descriptor.queue())) {
    event.link = queue->next_sequence();
    sequence = deposit(*queue, event);
    logged = true;
  }
  unlink_if_due(descriptor, event, logged, sequence);
}

void NetworkInterface::end_at_once(MemoryDescriptor& descriptor, Event& event, EventKind kind, bool logged) {
  fill(event, descriptor, kind);
  count(descriptor, event);
  unlink_if_due(descriptor, event, logged, event.sequence);
}

void NetworkInterface::unlink_if_due(MemoryDescriptor& descriptor, const Event& cause, bool has_link, std::uint32_t link) {
  if (!descriptor.unlink_due() || descriptor.busy() || descriptor.unlinked) return;
  const SlotId queue_id = descriptor.queue();
  const bool stays = descriptor.headers > 0;
  const auto remove = [&] {
    if (stays) {
      descriptor.unlinked = true;
      MatchEntry& entry = *descriptor.entry;
      entry.descriptor = nullptr;
      descriptor.entry = nullptr;
      remove_entry(entry);
    } else {
      remove_descriptor(descriptor);
    }
  };
  if (descriptor.has(option::kUnlinkDisable)) return remove();
  Event event = cause;
  fill(event, descriptor, EventKind::kUnlink);
  event.failure = Failure::kNone;
  event.start = nullptr;
  event.user_pointer = descriptor.snapshot().user_pointer;
  const bool frees = descriptor.entry != nullptr && descriptor.entry->list() == PortalList::kOverflow;
  // The handle is dead before anybody can see the event.
  remove();
  EventQueue* const queue = queues_.get(queue_id);
  if (queue == nullptr) return;
  queue->settle(1);
  event.link = has_link ? link : queue->next_sequence();
  deposit(*queue, event);
  if (!frees || stays) return;
  event.kind = EventKind::kFree;
  deposit(*queue, event);
}

void NetworkInterface::drop_objects() {
  for (Portal& portal : portals_) {
    portal.unexpected.for_each([this, &portal](UnexpectedHeader& header) {
      portal.unexpected.remove(header);
      unexpected_.destroy(static_cast<UnexpectedMessage&>(header).id);
    });
    for (MatchList* list : {&portal.priority, &portal.overflow}) {
      list->for_each([this, list](MatchEntry& entry) {
        list->remove(entry);
        entries_.destroy(entry.id);
      });
    }
  }
  counting_events_.for_each([this](SlotId id, CountingEvent&) { static_cast<void>(free_counter(id)); });
  while (TriggeredOperation* operation = take_due()) release(*operation);
  descriptors_.for_each([this](SlotId id, MemoryDescriptor& descriptor) {
    LINTEL_ASSERT(!descriptor.busy());
    descriptors_.destroy(id);
  });
  queues_.for_each([this](SlotId id, EventQueue& queue) {
    if (queue.sleepers > 0) attention_.wake_needed = true;
    queues_.destroy(id);
  });
}

}  // namespace lintel::portals
