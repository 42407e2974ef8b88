// Portal table entries, list entries, unexpected messages and search of Portals 4.

#include <utility>

#include "base/assert.h"
#include "portals/engine/network_interface.h"

namespace lintel::portals {
namespace {

EventKind overflow_kind(EventKind arrived) {
  switch (arrived) {
    case EventKind::kGetEnd: return EventKind::kGetOverflow;
    case EventKind::kAtomicEnd: return EventKind::kAtomicOverflow;
    case EventKind::kFetchAtomicEnd: return EventKind::kFetchAtomicOverflow;
    default: return EventKind::kPutOverflow;
  }
}

bool takes(const MemoryDescriptor& descriptor, const UnexpectedMessage& message) {
  return descriptor.accept(0, message.event.remote_offset, message.event.requested_length).has_value();
}

}  // namespace

// ---- Portals

Status NetworkInterface::allocate_portal(const PortalRules& rules, SlotId queue, std::uint32_t wanted, std::uint32_t& made) {
  if (queue.generation != 0 && queues_.get(queue) == nullptr) return Status::kQueueInvalid;
  std::uint32_t index = wanted;
  if (wanted == kAnyId) {
    index = 0;
    while (index <= limits_.max_portal_index && portals_[index].state != Portal::State::kFree) ++index;
    if (index > limits_.max_portal_index) return Status::kPortalFull;
  }
  if (index > limits_.max_portal_index) return Status::kPortalInvalid;
  Portal& portal = portals_[index];
  if (portal.state != Portal::State::kFree) return Status::kPortalInUse;
  portal.queue = queue;
  portal.flow_control = rules.flow_control;
  portal.state = rules.enabled ? Portal::State::kEnabled : Portal::State::kDisabled;
  made = index;
  return Status::kOk;
}

Portal* NetworkInterface::existing_portal(std::uint32_t index) {
  return index <= limits_.max_portal_index && portals_[index].state != Portal::State::kFree ? &portals_[index] : nullptr;
}

Status NetworkInterface::free_portal(std::uint32_t index) {
  Portal* const existing = existing_portal(index);
  if (existing == nullptr) return Status::kPortalInvalid;
  Portal& portal = *existing;
  if (!portal.priority.empty() || !portal.overflow.empty() || portal.active > 0) return Status::kPortalInUse;
  portal.unexpected.for_each([this, &portal](UnexpectedHeader& header) {
    portal.unexpected.remove(header);
    forget_unexpected(static_cast<UnexpectedMessage&>(header));
  });
  portal.state = Portal::State::kFree;
  portal.queue = {};
  return Status::kOk;
}

Status NetworkInterface::disable_portal(std::uint32_t index) {
  Portal* const existing = existing_portal(index);
  if (existing == nullptr) return Status::kPortalInvalid;
  Portal& portal = *existing;
  if (portal.state == Portal::State::kEnabled) portal.state = Portal::State::kDraining;
  if (portal.active == 0) finish_disabling(portal);
  return Status::kOk;
}

Status NetworkInterface::enable_portal(std::uint32_t index) {
  Portal* const portal = existing_portal(index);
  if (portal == nullptr) return Status::kPortalInvalid;
  portal->state = Portal::State::kEnabled;
  return Status::kOk;
}

NetworkInterface::Room NetworkInterface::room_for(const Portal& portal, const MemoryDescriptor& descriptor,
                                                  const MemoryDescriptor::Acceptance& acceptance, PortalList list) {
  const bool header = list == PortalList::kOverflow && !descriptor.has(option::kHeaderDisable);
  if (header && (portal.unexpected.size() >= limits_.max_unexpected || unexpected_.size() >= unexpected_.limit())) return Room::kNoHeader;
  if (!portal.flow_control) return Room::kEnough;
  const EventQueue* queue = queues_.get(portal.queue);
  if (queue == nullptr) return Room::kEnough;
  // What it will log: its own event, and if it uses the entry up AUTO_UNLINK, and AUTO_FREE where no header holds that back.
  std::uint64_t events = descriptor.has(option::kEndDisable | option::kSuccessDisable) ? 0 : 1;
  if (descriptor.used_up_by(acceptance) && !descriptor.has(option::kUnlinkDisable)) {
    events += list == PortalList::kOverflow && !header ? 2 : 1;
  }
  return queue->room() >= events ? Room::kEnough : Room::kQueueFull;
}

// With flow control nothing is dropped: the portal takes nothing any more, and says so when what it has taken is done. A queue that is full is full for all
// its portals.
void NetworkInterface::refuse_at(Portal& portal, Room room, const MemoryDescriptor* matched) {
  if (!portal.flow_control) return;
  const bool told = matched == nullptr || !matched->has(option::kFlowDisable);
  if (room != Room::kQueueFull) return disable_itself(portal, told);
  for (Portal& other : portals_) {
    if (other.flow_control && other.queue == portal.queue) disable_itself(other, told);
  }
}

void NetworkInterface::disable_itself(Portal& portal, bool told) {
  if (portal.state != Portal::State::kEnabled) return;
  portal.state = Portal::State::kDraining;
  ++portal.turn;
  portal.draining = portal.active;
  if (told) ++portal.untold;
  if (portal.active > 0) return;
  finish_disabling(portal);
  tell_disabled(portal, static_cast<std::uint32_t>(&portal - portals_.data()));
}

void NetworkInterface::finish_disabling(Portal& portal) {
  if (portal.state == Portal::State::kDraining) portal.state = Portal::State::kDisabled;
  attention_.wake_needed = true;  // PtlPTDisable may wait for this
}

void NetworkInterface::tell_disabled(Portal& portal, std::uint32_t index) {
  for (; portal.untold > 0; --portal.untold) {
    EventQueue* queue = queues_.get(portal.queue);
    if (queue == nullptr) continue;
    Event event;
    event.kind = EventKind::kPortalDisabled;
    event.failure = Failure::kPortalDisabled;
    event.portal_index = index;
    queue->deposit_spare(event);
    if (queue->sleepers > 0) attention_.wake_needed = true;
  }
}

// ---- Operations under way at a portal

void NetworkInterface::enter_portal(Completion& completion, PortalList list) {
  Event& event = completion.event;
  Portal& portal = portals_[event.portal_index];
  event.list = list;
  ++portal.active;
  completion.on_portal = true;
  completion.portal_turn = portal.turn;
  MemoryDescriptor& descriptor = *descriptors_.get(event.descriptor);
  if (list != PortalList::kOverflow || descriptor.has(option::kHeaderDisable)) return;
  // Linked now, not when the data are here: what arrives first is claimed first.
  const auto [message, id] = unexpected_.create();
  LINTEL_ASSERT(message != nullptr);  // match() has looked
  message->id = id;
  message->initiator = event.initiator;
  message->match_bits = event.match_bits;
  message->event = event;
  ++descriptor.headers;
  portal.unexpected.append(*message);
  completion.unexpected = id;
}

void NetworkInterface::leave_portal(const Event& event, std::uint32_t turn) {
  Portal& portal = portals_[event.portal_index];
  LINTEL_ASSERT(portal.active > 0);
  if (--portal.active == 0 && portal.state == Portal::State::kDraining) finish_disabling(portal);
  if (turn != portal.turn && --portal.draining == 0) tell_disabled(portal, event.portal_index);
}

// The data of an unexpected message are in place, or will not come.
void NetworkInterface::landed(Portal& portal, SlotId unexpected, Failure failure) {
  UnexpectedMessage* message = unexpected_.get(unexpected);
  if (message == nullptr) return;
  message->landed = true;
  message->event.failure = failure;
  if (message->claimant.generation != 0) {
    tell_claimed(*message);
  } else if (failure != Failure::kNone) {
    portal.unexpected.remove(*message);
    forget_unexpected(*message);
  }
}

// ---- List entries

Status NetworkInterface::append_entry(std::uint32_t index, PortalList list, const MatchCriteria& criteria, DescriptorRules rules,
                                      bool use_once, SlotId& made) {
  Portal* const existing = existing_portal(index);
  if (existing == nullptr) return Status::kPortalInvalid;
  Portal& portal = *existing;
  if (portal.list(list).size() >= limits_.max_list_length) return Status::kNoSpace;
  rules.described.queue = portal.queue;
  rules.described.threshold = use_once ? 1 : kUnlimited;
  const auto [entry, entry_id] = entries_.create(criteria, index, true, list);
  if (entry == nullptr) return Status::kNoSpace;
  const auto [descriptor, id] = descriptors_.create(std::move(rules), true);
  if (descriptor == nullptr) {
    entries_.destroy(entry_id);
    return Status::kNoSpace;
  }
  entry->id = entry_id;
  entry->descriptor = descriptor;
  descriptor->id = id;
  descriptor->entry = entry;
  made = entry_id;
  portal.list(list).attach(*entry, ListEnd::kTail);

  if (list == PortalList::kPriority) {
    portal.unexpected.for_each_match(criteria, [&, entry_id = entry_id, descriptor = descriptor](UnexpectedHeader& header) {
      auto& message = static_cast<UnexpectedMessage&>(header);
      if (takes(*descriptor, message)) claim(portal, message, *descriptor);
      return entries_.get(entry_id) != nullptr && descriptor->active();  // it may have been used up, and be gone
    });
    if (entries_.get(entry_id) == nullptr || !descriptor->active()) return Status::kOk;
  }
  list_of(*entry).set_matchable(*entry, true);
  if (!descriptor->has(option::kLinkDisable)) log_list_event(*descriptor, EventKind::kLink, index);
  return Status::kOk;
}

// The message is the claimant's from now on; its event comes when its data are in place.
void NetworkInterface::claim(Portal& portal, UnexpectedMessage& message, MemoryDescriptor& claimant) {
  portal.unexpected.remove(message);
  message.claimant = claimant.id;
  claimant.begin();
  const bool was_due = claimant.unlink_due();
  claimant.charge_claimed(message.event.requested_length);
  owe_unlink(claimant, was_due);
  if (message.landed) tell_claimed(message);
}

void NetworkInterface::tell_claimed(UnexpectedMessage& message) {
  MemoryDescriptor& claimant = *descriptors_.get(message.claimant);
  Event event = message.event;
  event.kind = overflow_kind(event.kind);
  event.list = PortalList::kOverflow;
  event.user_pointer = claimant.snapshot().user_pointer;
  const bool silent = claimant.has(option::kOverflowDisable) || (event.failure == Failure::kNone && claimant.has(option::kSuccessDisable));
  if (EventQueue* queue = silent ? nullptr : queues_.get(claimant.queue())) deposit(*queue, event);
  count(claimant, event);
  // What ends with the header comes before what ends with the append: FREE of the entry that held the data, then UNLINK of the claimant.
  forget_unexpected(message);
  claimant.end();
  unlink_if_due(claimant, event, false, 0);
}

// The memory in which its data lie may be free now. REQUIRES: it is in no list.
void NetworkInterface::forget_unexpected(UnexpectedMessage& message) {
  leave_holder(message);
  unexpected_.destroy(message.id);
}

void NetworkInterface::leave_holder(const UnexpectedMessage& message) {
  MemoryDescriptor* const holder = descriptors_.get(message.event.descriptor);
  if (holder == nullptr) return;  // it was moved
  if (--holder->headers > 0 || !holder->unlinked) return;
  if (!holder->has(option::kUnlinkDisable)) log_list_event(*holder, EventKind::kFree, message.event.portal_index);
  descriptors_.destroy(holder->id);
}

void NetworkInterface::consume_unexpected(UnexpectedMessage& message) {
  LINTEL_ASSERT(message.landed && message.claimant.generation == 0);
  portals_[message.event.portal_index].unexpected.remove(message);
  forget_unexpected(message);
}

void NetworkInterface::move_unexpected(UnexpectedMessage& message, void* start) {
  LINTEL_ASSERT(message.landed && message.claimant.generation == 0);
  leave_holder(message);
  message.event.descriptor = {};
  message.event.start = start;
}

void NetworkInterface::log_list_event(const MemoryDescriptor& descriptor, EventKind kind, std::uint32_t portal_index, Failure failure) {
  EventQueue* const queue = queues_.get(descriptor.queue());
  if (queue == nullptr) return;
  Event event;
  fill(event, descriptor, kind);
  event.failure = failure;
  event.portal_index = portal_index;
  event.user_pointer = descriptor.snapshot().user_pointer;
  deposit(*queue, event);
}

// ---- Search

Status NetworkInterface::search(std::uint32_t index, const MatchCriteria& criteria, const DescriptorRules& rules, bool use_once,
                                bool take) {
  Portal* const existing = existing_portal(index);
  if (existing == nullptr) return Status::kPortalInvalid;
  Portal& portal = *existing;
  DescriptorRules own = rules;
  own.described.queue = portal.queue;
  own.described.threshold = kUnlimited;
  own.described.options |= option::kUnlinkDisable;
  if ((own.described.options & option::kEndDisable) != 0) own.described.options |= option::kOverflowDisable;
  const auto [descriptor, id] = descriptors_.create(std::move(own), true);
  if (descriptor == nullptr) return Status::kNoSpace;
  descriptor->id = id;
  descriptor->begin();
  std::size_t matches = 0;
  portal.unexpected.for_each_match(criteria, [&, descriptor = descriptor](UnexpectedHeader& header) {
    auto& message = static_cast<UnexpectedMessage&>(header);
    if (!takes(*descriptor, message)) return true;
    ++matches;
    if (take) {
      claim(portal, message, *descriptor);
      return !use_once;
    }
    Event event = message.event;
    event.kind = EventKind::kSearch;
    event.user_pointer = descriptor->snapshot().user_pointer;
    if (EventQueue* queue = descriptor->has(option::kEndDisable) ? nullptr : queues_.get(portal.queue)) deposit(*queue, event);
    count(*descriptor, event);
    return !use_once;
  });
  if (matches == 0 && !descriptor->has(option::kEndDisable)) log_list_event(*descriptor, EventKind::kSearch, index, Failure::kNoMatch);
  // The counting event learns of the end of a search for all that match, as of one that finds nothing.
  if (matches == 0 || !use_once) {
    Event end;
    end.kind = EventKind::kSearch;
    end.failure = Failure::kNoMatch;
    count(*descriptor, end);
  }
  // It goes with the last of what it has claimed.
  descriptor->retire();
  owe_unlink(*descriptor, false);
  descriptor->end();
  unlink_if_due(*descriptor, {}, false, 0);
  return Status::kOk;
}

}  // namespace lintel::portals
