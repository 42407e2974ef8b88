#include "portals/engine/matching/entry_table.h"

#include <utility>

namespace lintel::portals {

Status EntryTable::make(std::uint32_t portal_index, const MatchCriteria& criteria,
                        bool unlink_with_descriptor, MatchEntry*& made) {
  if (portals_[portal_index].priority.size() >= max_list_length_) return Status::kListTooLong;
  const auto [entry, id] = entries_.create(criteria, portal_index, unlink_with_descriptor);
  if (entry == nullptr) return Status::kNoSpace;
  entry->id = id;
  made = entry;
  return Status::kOk;
}

Status EntryTable::attach(std::uint32_t portal_index, const MatchCriteria& criteria,
                          bool unlink_with_descriptor, ListEnd end, SlotId& made) {
  if (portal_index > portals_.max_index()) return Status::kPortalInvalid;
  MatchEntry* entry = nullptr;
  if (const Status status = make(portal_index, criteria, unlink_with_descriptor, entry);
      status != Status::kOk)
    return status;
  portals_[portal_index].priority.attach(*entry, end);
  made = entry->id;
  return Status::kOk;
}

Status EntryTable::attach_anywhere(const MatchCriteria& criteria, bool unlink_with_descriptor,
                                   std::uint32_t& portal_index, SlotId& made) {
  for (std::uint32_t index = 0; index <= portals_.max_index(); ++index) {
    if (!portals_[index].priority.empty()) continue;
    const Status status = attach(index, criteria, unlink_with_descriptor, ListEnd::kTail, made);
    if (status == Status::kOk) portal_index = index;
    return status;
  }
  return Status::kPortalFull;
}

Status EntryTable::insert(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor,
                          Side side, SlotId& made) {
  MatchEntry* neighbour = entries_.get(base);
  if (neighbour == nullptr) return Status::kEntryInvalid;
  MatchEntry* entry = nullptr;
  const std::uint32_t portal_index = neighbour->portal_index();
  if (const Status status = make(portal_index, criteria, unlink_with_descriptor, entry);
      status != Status::kOk)
    return status;
  portals_[portal_index].priority.insert(*entry, *neighbour, side);
  made = entry->id;
  return Status::kOk;
}

Status EntryTable::unlink(SlotId id) {
  MatchEntry* entry = entries_.get(id);
  if (entry == nullptr) return Status::kEntryInvalid;
  if (MemoryDescriptor* descriptor = entry->descriptor) {
    if (descriptor->in_use()) return Status::kEntryInUse;
    descriptor->entry = nullptr;
    remove_descriptor(*descriptor);
  }
  remove(*entry);
  return Status::kOk;
}

Status EntryTable::post(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor,
                        Side side, DescriptorRules rules, bool unlink_when_used_up,
                        SlotId test_queue, SlotId& made_entry, SlotId& made_descriptor) {
  if (const Status status = events_.test_quiet(test_queue); status != Status::kOk) return status;
  SlotId entry;
  if (const Status status = insert(base, criteria, unlink_with_descriptor, side, entry);
      status != Status::kOk)
    return status;
  SlotId descriptor;
  if (const Status status =
          attach_descriptor(entry, std::move(rules), unlink_when_used_up, descriptor);
      status != Status::kOk) {
    remove(*entries_.get(entry));
    return status;
  }
  made_entry = entry;
  made_descriptor = descriptor;
  return Status::kOk;
}

MatchEntry* EntryTable::append(std::uint32_t portal_index, PortalList list,
                               const MatchCriteria& criteria, DescriptorRules rules) {
  MatchList& entries = portals_[portal_index].list(list);
  if (entries.size() >= max_list_length_) return nullptr;
  const auto [entry, id] = entries_.create(criteria, portal_index, true, list);
  if (entry == nullptr) return nullptr;
  MemoryDescriptor* const descriptor = descriptors_.make(std::move(rules), true);
  if (descriptor == nullptr) {
    entries_.destroy(id);
    return nullptr;
  }
  entry->id = id;
  entry->descriptor = descriptor;
  descriptor->entry = entry;
  entries.attach(*entry, ListEnd::kTail);
  return entry;
}

void EntryTable::remove(MatchEntry& entry) {
  list_of(entry).remove(entry);
  entries_.destroy(entry.id);
}

// ---- Descriptors

Status EntryTable::attach_descriptor(SlotId entry_id, DescriptorRules rules,
                                     bool unlink_when_used_up, SlotId& made) {
  MatchEntry* entry = entries_.get(entry_id);
  if (entry == nullptr) return Status::kEntryInvalid;
  if (entry->descriptor != nullptr) return Status::kEntryInUse;
  if (!events_.may_use(rules.described.queue)) return Status::kQueueInvalid;
  MemoryDescriptor* const descriptor = descriptors_.make(std::move(rules), unlink_when_used_up);
  if (descriptor == nullptr) return Status::kNoSpace;
  descriptor->entry = entry;
  entry->descriptor = descriptor;
  list_of(*entry).set_matchable(*entry, descriptor->active());
  made = descriptor->id;
  return Status::kOk;
}

Status EntryTable::bind_descriptor(DescriptorRules rules, bool unlink_when_used_up, SlotId& made) {
  if (!events_.may_use(rules.described.queue)) return Status::kQueueInvalid;
  const MemoryDescriptor* const descriptor =
      descriptors_.bind(std::move(rules), unlink_when_used_up);
  if (descriptor == nullptr) return Status::kNoSpace;
  made = descriptor->id;
  return Status::kOk;
}

void EntryTable::remove_descriptor(MemoryDescriptor& descriptor) {
  MatchEntry* entry = descriptor.entry;
  descriptors_.destroy(descriptor);
  if (entry == nullptr) return;
  entry->descriptor = nullptr;
  if (entry->unlink_with_descriptor()) {
    remove(*entry);
  } else {
    list_of(*entry).set_matchable(*entry, false);
  }
}

Status EntryTable::unlink_descriptor(SlotId id) {
  MemoryDescriptor* descriptor = descriptors_.get(id);
  if (descriptor == nullptr) return Status::kDescriptorInvalid;
  if (descriptor->busy()) return Status::kDescriptorInUse;
  if (descriptor->entry == nullptr) descriptors_.unbind();
  remove_descriptor(*descriptor);
  return Status::kOk;
}

Status EntryTable::update_descriptor(SlotId id, DescriptorRules rules, SlotId test_queue) {
  MemoryDescriptor* descriptor = descriptors_.get(id);
  if (descriptor == nullptr) return Status::kDescriptorInvalid;
  if (!events_.may_use(rules.described.queue)) return Status::kQueueInvalid;
  if (const Status status = events_.test_quiet(test_queue); status != Status::kOk) return status;
  // It is used up and waits only for the end of its last operation, so it counts as unlinked.
  if (descriptor->unlink_due()) return Status::kDescriptorInvalid;
  descriptor->describe(std::move(rules));
  if (descriptor->entry != nullptr)
    list_of(*descriptor->entry).set_matchable(*descriptor->entry, descriptor->active());
  return Status::kOk;
}

// ---- Charging

void EntryTable::unlink_used_up(MemoryDescriptor& descriptor, const Event& cause, bool has_link,
                                std::uint32_t link) {
  const SlotId queue_id = descriptor.queue();
  const bool stays = descriptor.headers > 0;
  const auto remove_it = [&]() LINTEL_REQUIRES(kLock) {
    if (stays) {
      descriptor.unlinked = true;
      MatchEntry& entry = *descriptor.entry;
      entry.descriptor = nullptr;
      descriptor.entry = nullptr;
      remove(entry);
    } else {
      remove_descriptor(descriptor);
    }
  };
  if (descriptor.has(option::kUnlinkDisable)) return remove_it();
  Event event = cause;
  events_.fill(event, descriptor, EventKind::kUnlink);
  event.failure = Failure::kNone;
  event.start = nullptr;
  event.user_pointer = descriptor.snapshot().user_pointer;
  const bool frees =
      descriptor.entry != nullptr && descriptor.entry->list() == PortalList::kOverflow;
  // The handle becomes invalid before a program can see the event.
  remove_it();
  EventQueue* const queue = events_.queue(queue_id);
  if (queue == nullptr) return;
  queue->settle(1);
  event.link = has_link ? link : queue->next_sequence();
  events_.deposit(*queue, event);
  if (!frees || stays) return;
  event.kind = EventKind::kFree;
  events_.deposit(*queue, event);
}

void EntryTable::drop_all() {
  for (std::uint32_t index = 0; index <= portals_.max_index(); ++index) {
    for (MatchList* list : {&portals_[index].priority, &portals_[index].overflow}) {
      list->for_each([this, list](MatchEntry& entry) {
        kLock.is_held();
        list->remove(entry);
        entries_.destroy(entry.id);
      });
    }
  }
}

}  // namespace lintel::portals
