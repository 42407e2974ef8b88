#include "portals/engine/matching/unexpected_messages.h"

#include <new>
#include <utility>

#include "base/assert.h"

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

// The number of unexpected messages that are claimed but whose data are not in place. Each is an
// operation of the endpoint.
constexpr std::size_t kMaxLanding = std::size_t{1} << 19;

// What the index adds to a header for one class of searches.
constexpr std::size_t kOfIndex = 8 + 8 + 64;
static_assert(SlotPool<UnexpectedMessage>::bytes_of_one() + kOfIndex <= kUnexpectedHeaderBytes);

bool takes(const MemoryDescriptor& descriptor, const UnexpectedMessage& message) {
  return descriptor.accept(0, message.event.remote_offset, message.event.requested_length)
      .has_value();
}

}  // namespace

UnexpectedMessages::UnexpectedMessages(DescriptorTable& descriptors, EventLog& events,
                                       PortalTable& portals, EntryTable& entries,
                                       Triggers& triggers, const InterfaceLimits& limits,
                                       MemoryBudget* budget)
    : descriptors_(descriptors),
      events_(events),
      portals_(portals),
      entries_(entries),
      triggers_(triggers),
      max_of_portal_(limits.max_unexpected),
      budget_(budget != nullptr ? *budget : unlimited_),
      messages_(std::size_t{limits.max_unexpected} * (std::size_t{limits.max_portal_index} + 1) +
                kMaxLanding) {}

UnexpectedMessages::~UnexpectedMessages() {
  kLock.is_held();
  budget_.give_back(messages_.capacity() * kUnexpectedHeaderBytes);
}

PortalTable::Room UnexpectedMessages::room_for(const Portal& portal,
                                               const MemoryDescriptor& descriptor,
                                               const MemoryDescriptor::Acceptance& acceptance,
                                               PortalList list) {
  if (list != PortalList::kOverflow) return room_for_events(portal, descriptor, acceptance, 1);
  if (descriptor.has(option::kHeaderDisable))
    return room_for_events(portal, descriptor, acceptance, 2);
  if (portal.unexpected.size() >= max_of_portal_ || !in_share(portal) || !make_room())
    return PortalTable::Room::kNoHeader;
  return room_for_events(portal, descriptor, acceptance, 1);
}

// Whether the portal's queue takes the events of a message. With flow control these are the
// message's own, and `of_last` if it uses the entry up: AUTO_UNLINK, and AUTO_FREE of an overflow
// entry if no header delays it.
PortalTable::Room UnexpectedMessages::room_for_events(
    const Portal& portal, const MemoryDescriptor& descriptor,
    const MemoryDescriptor::Acceptance& acceptance, std::uint64_t of_last) {
  using Room = PortalTable::Room;
  EventQueue* const queue = events_.queue(portal.queue);
  if (queue == nullptr) return Room::kEnough;
  if (!portal.flow_control) return queue->takes_message() ? Room::kEnough : Room::kQueueFull;
  std::uint64_t events = descriptor.has(option::kEndDisable | option::kSuccessDisable) ? 0 : 1;
  if (descriptor.used_up_by(acceptance) && !descriptor.has(option::kUnlinkDisable))
    events += of_last;
  return queue->room() >= events ? Room::kEnough : Room::kQueueFull;
}

// Whether the portal leaves as much to all others as it has.
bool UnexpectedMessages::in_share(const Portal& portal) const {
  const std::size_t free = messages_.capacity() - messages_.size();
  return portal.unexpected.size() <= free + budget_.left() / kUnexpectedHeaderBytes;
}

// False: there are too many headers, or there is no memory for one more.
bool UnexpectedMessages::make_room() {
  if (messages_.has_free()) return true;
  constexpr std::size_t kBytes = decltype(messages_)::kBlock * kUnexpectedHeaderBytes;
  if (!budget_.take(kBytes)) return false;
  try {
    if (messages_.reserve()) return true;
  } catch (const std::bad_alloc&) {
  }
  budget_.give_back(kBytes);
  return false;
}

void UnexpectedMessages::begin(Completion& completion) {
  const Event& event = completion.event;
  MemoryDescriptor& descriptor = *descriptors_.get(event.descriptor);
  if (descriptor.has(option::kHeaderDisable)) return;
  // Linked now, and not when the data are complete, so that messages are claimed in the order of
  // arrival.
  const auto [message, id] = messages_.create();
  LINTEL_ASSERT(message != nullptr);  // match() has checked that there is room
  message->id = id;
  message->initiator = event.initiator;
  message->match_bits = event.match_bits;
  message->event = event;
  ++descriptor.headers;
  portals_[event.portal_index].unexpected.append(*message);
  completion.unexpected = id;
}

// The data of an unexpected message are in place, or will not come.
void UnexpectedMessages::landed(std::uint32_t portal_index, SlotId header, Failure failure) {
  UnexpectedMessage* message = messages_.get(header);
  if (message == nullptr) return;
  message->landed = true;
  message->event.failure = failure;
  if (message->claimant.generation != 0) {
    log_claimed(*message);
  } else if (failure != Failure::kNone) {
    portals_[portal_index].unexpected.remove(*message);
    forget(*message);
  }
}

// ---- List entries

Status UnexpectedMessages::append_entry(std::uint32_t index, PortalList list,
                                        const MatchCriteria& criteria, DescriptorRules rules,
                                        bool use_once, SlotId& made) {
  Portal* const existing = portals_.existing(index);
  if (existing == nullptr) return Status::kPortalInvalid;
  Portal& portal = *existing;
  rules.described.queue = portal.queue;
  rules.described.threshold = use_once ? 1 : kUnlimited;
  MatchEntry* const entry = entries_.append(index, list, criteria, std::move(rules));
  if (entry == nullptr) return Status::kNoSpace;
  MemoryDescriptor& descriptor = *entry->descriptor;
  const SlotId id = entry->id;
  made = id;

  if (list == PortalList::kPriority) {
    portal.unexpected.for_each_match(criteria, [&](UnexpectedHeader& header) {
      kLock.is_held();
      auto& message = static_cast<UnexpectedMessage&>(header);
      if (takes(descriptor, message)) claim(portal, message, descriptor);
      // it may have been used up and destroyed
      return entries_.get(id) != nullptr && descriptor.active();
    });
    if (entries_.get(id) == nullptr || !descriptor.active()) return Status::kOk;
  }
  entries_.make_matchable(*entry);
  if (!descriptor.has(option::kLinkDisable))
    events_.log_entry_event(descriptor, EventKind::kLink, index);
  return Status::kOk;
}

// Gives the message to the claimant. Its event is logged when its data are in place.
void UnexpectedMessages::claim(Portal& portal, UnexpectedMessage& message,
                               MemoryDescriptor& claimant) {
  portal.unexpected.remove(message);
  message.claimant = claimant.id;
  claimant.begin();
  const bool was_due = claimant.unlink_due();
  claimant.charge_claimed(message.event.requested_length);
  entries_.owe_unlink(claimant, was_due);
  if (message.landed) log_claimed(message);
}

void UnexpectedMessages::log_claimed(UnexpectedMessage& message) {
  MemoryDescriptor& claimant = *descriptors_.get(message.claimant);
  Event event = message.event;
  event.kind = overflow_kind(event.kind);
  event.list = PortalList::kOverflow;
  event.user_pointer = claimant.snapshot().user_pointer;
  const bool silent = claimant.has(option::kOverflowDisable) ||
                      (event.failure == Failure::kNone && claimant.has(option::kSuccessDisable));
  if (EventQueue* queue = silent ? nullptr : events_.queue(claimant.queue()))
    events_.deposit(*queue, event);
  triggers_.count(claimant, event);
  // The order is FREE of the overflow entry that had the data, then UNLINK of the claimant.
  forget(message);
  claimant.end();
  entries_.unlink_if_due(claimant, event, false, 0);
}

// The overflow entry with its data may be free now. REQUIRES: it is in no list.
void UnexpectedMessages::forget(UnexpectedMessage& message) {
  leave_holder(message);
  messages_.destroy(message.id);
}

void UnexpectedMessages::leave_holder(const UnexpectedMessage& message) {
  MemoryDescriptor* const holder = descriptors_.get(message.event.descriptor);
  if (holder == nullptr) return;  // its data were moved
  if (--holder->headers > 0 || !holder->unlinked) return;
  if (!holder->has(option::kUnlinkDisable))
    events_.log_entry_event(*holder, EventKind::kFree, message.event.portal_index);
  descriptors_.destroy(*holder);
}

void UnexpectedMessages::consume(UnexpectedMessage& message) {
  LINTEL_ASSERT(message.landed && message.claimant.generation == 0);
  portals_[message.event.portal_index].unexpected.remove(message);
  forget(message);
}

void UnexpectedMessages::move(UnexpectedMessage& message, void* start) {
  LINTEL_ASSERT(message.landed && message.claimant.generation == 0);
  leave_holder(message);
  message.event.descriptor = {};
  message.event.start = start;
}

void UnexpectedMessages::forget_all(Portal& portal) {
  portal.unexpected.for_each([this, &portal](UnexpectedHeader& header) {
    kLock.is_held();
    portal.unexpected.remove(header);
    forget(static_cast<UnexpectedMessage&>(header));
  });
}

void UnexpectedMessages::drop_all() {
  for (std::uint32_t index = 0; index <= portals_.max_index(); ++index) {
    UnexpectedList& list = portals_[index].unexpected;
    list.for_each([this, &list](UnexpectedHeader& header) {
      kLock.is_held();
      list.remove(header);
      messages_.destroy(static_cast<UnexpectedMessage&>(header).id);
    });
  }
}

// ---- Search

Status UnexpectedMessages::search(std::uint32_t index, const MatchCriteria& criteria,
                                  const DescriptorRules& rules, bool use_once, bool take) {
  Portal* const existing = portals_.existing(index);
  if (existing == nullptr) return Status::kPortalInvalid;
  Portal& portal = *existing;
  DescriptorRules own = rules;
  own.described.queue = portal.queue;
  own.described.threshold = kUnlimited;
  own.described.options |= option::kUnlinkDisable;
  if ((own.described.options & option::kEndDisable) != 0)
    own.described.options |= option::kOverflowDisable;
  MemoryDescriptor* const descriptor = descriptors_.make(std::move(own), true);
  if (descriptor == nullptr) return Status::kNoSpace;
  descriptor->begin();
  std::size_t matches = 0;
  portal.unexpected.for_each_match(criteria, [&](UnexpectedHeader& header) {
    kLock.is_held();
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
    if (EventQueue* queue =
            descriptor->has(option::kEndDisable) ? nullptr : events_.queue(portal.queue))
      events_.deposit(*queue, event);
    triggers_.count(*descriptor, event);
    return !use_once;
  });
  if (matches == 0 && !descriptor->has(option::kEndDisable))
    events_.log_entry_event(*descriptor, EventKind::kSearch, index, Failure::kNoMatch);
  // The counting event counts one failure at the end of a search for all matches, and of one that
  // finds nothing.
  if (matches == 0 || !use_once) {
    Event end;
    end.kind = EventKind::kSearch;
    end.failure = Failure::kNoMatch;
    triggers_.count(*descriptor, end);
  }
  // The search's descriptor ends with the last message that it has claimed.
  descriptor->retire();
  entries_.owe_unlink(*descriptor, false);
  descriptor->end();
  entries_.unlink_if_due(*descriptor, {}, false, 0);
  return Status::kOk;
}

}  // namespace lintel::portals
