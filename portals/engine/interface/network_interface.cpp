#include "portals/engine/interface/network_interface.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "portals/engine/values/handle.h"

namespace lintel::portals {
namespace {

// With Portals 4 each entry has a descriptor of its own, and so has each search.
std::size_t most_descriptors(std::uint8_t kind, const InterfaceLimits& limits) {
  return kind == kPortals3Kind
             ? limits.max_descriptors
             : std::size_t{limits.max_descriptors} + limits.max_entries + kMaxSearches;
}

std::size_t most_bound(std::uint8_t kind, const InterfaceLimits& limits) {
  return kind == kPortals3Kind ? std::numeric_limits<std::size_t>::max() : limits.max_descriptors;
}

// Whether the end of a successful operation of this kind is reported to the program.
bool tells(const MemoryDescriptor& descriptor, EventKind kind) {
  const std::uint32_t silent = option::kSuccessDisable | option::kEndDisable |
                               (kind == EventKind::kSendEnd ? option::kSendDisable : 0);
  return (descriptor.queue().generation != 0 && !descriptor.has(silent)) ||
         Triggers::counts(descriptor, kind);
}

}  // namespace

NetworkInterface::NetworkInterface(std::uint8_t kind, const Identity& identity,
                                   const InterfaceLimits& limits, Counters& counters,
                                   PendingWork& pending_work, std::uint32_t first_generation,
                                   const InterfaceRules& rules, MemoryBudget* headers)
    : kind_(kind),
      identity_(identity),
      limits_(limits),
      rules_(rules),
      counters_(counters),
      access(limits.max_access_index, identity.user),
      descriptors(most_descriptors(kind, limits), most_bound(kind, limits), kGenerationBits,
                  first_generation),
      events(descriptors, limits.max_queues, is_portals3(), kGenerationBits, first_generation,
             counters, pending_work),
      triggers(descriptors, limits.max_counters, limits.max_triggered, kGenerationBits,
               first_generation, pending_work),
      portals(events, limits.max_portal_index, is_portals3(), pending_work),
      entries(descriptors, events, portals, limits, kGenerationBits, first_generation),
      unexpected(descriptors, events, portals, entries, triggers, limits,
                 rules.headers_in_budget ? headers : nullptr) {
  LINTEL_ASSERT(std::max(entries.limit(), descriptors.limit()) < std::size_t{1} << kSlotBits);
}

std::uint32_t NetworkInterface::next_generation() const {
  return std::max({entries.next_generation(), descriptors.next_generation(),
                   events.next_generation(), triggers.next_generation()});
}

NetworkInterface::~NetworkInterface() { drop_objects(); }

Status NetworkInterface::free_portal(std::uint32_t index) {
  if (const Status status = portals.test_free(index); status != Status::kOk) return status;
  unexpected.forget_all(portals[index]);
  portals.free(index);
  return Status::kOk;
}

bool NetworkInterface::idle_soon(SlotId id) {
  using Awaits = MemoryDescriptor::Awaits;
  const MemoryDescriptor* descriptor = descriptors.get(id);
  if (descriptor == nullptr || !descriptor->busy() || descriptor->awaits(Awaits::kTrigger))
    return false;
  if (descriptor->awaits(Awaits::kReply) && tells(*descriptor, EventKind::kReplyEnd)) return false;
  return !descriptor->data_move() || !tells(*descriptor, EventKind::kSendEnd);
}

// Descriptors are last, because the other objects may name them.
void NetworkInterface::drop_objects() {
  unexpected.drop_all();
  entries.drop_all();
  triggers.drop_all();
  descriptors.drop_all();
  events.drop_all();
}

// ---- Events of operations

void NetworkInterface::open(Completion& completion, MemoryDescriptor& descriptor, EventKind start,
                            EventKind end) {
  descriptor.begin();
  completion.interface.reset(this);
  completion.link_to_itself = true;
  events.fill(completion.event, descriptor, start);
  if (EventQueue* queue = events.queue(descriptor.queue())) {
    if (!descriptor.has(option::kStartDisable)) {
      completion.event.link = queue->next_sequence();
      events.deposit(*queue, completion.event);
      completion.link_to_itself = false;
    }
    completion.log_end =
        !descriptor.has(end == EventKind::kSendEnd ? option::kEndDisable | option::kSendDisable
                                                   : option::kEndDisable);
    if (completion.log_end) queue->owe_end(end);
    completion.queue = descriptor.queue();
  }
  completion.event.kind = end;
}

void NetworkInterface::enter_portal(Completion& completion, PortalList list) {
  completion.event.list = list;
  portals.enter(completion);
  if (list == PortalList::kOverflow) unexpected.begin(completion);
}

void NetworkInterface::close(Completion&& completion, Failure failure) {
  Event& event = completion.event;
  MemoryDescriptor* descriptor = descriptors.get(event.descriptor);
  LINTEL_ASSERT(completion.interface.get() == this && descriptor != nullptr);
  event.failure = failure;
  bool logged = false;
  std::uint32_t sequence = 0;
  if (completion.log_end) {
    // The queue may have been freed meanwhile. A new queue in the same slot has another generation.
    if (EventQueue* queue = events.queue(completion.queue)) {
      queue->settle_end(event.kind);
      if (failure != Failure::kNone || !descriptor->has(option::kSuccessDisable)) {
        if (completion.link_to_itself) event.link = queue->next_sequence();
        sequence = events.deposit(*queue, event);
        logged = true;
      }
    }
  }
  triggers.count(*descriptor, event);
  descriptor->end();
  completion.interface.reset();
  entries.unlink_if_due(*descriptor, event, logged, sequence);
  if (completion.unexpected.generation != 0)
    unexpected.landed(event.portal_index, completion.unexpected, failure);
  if (completion.on_portal) portals.leave(event.portal_index, completion.portal_turn);
}

void NetworkInterface::log_single(MemoryDescriptor& descriptor, Event& event, EventKind kind,
                                  Failure failure, bool count_only) {
  events.fill(event, descriptor, kind);
  event.failure = failure;
  bool logged = false;
  std::uint32_t sequence = 0;
  const bool silent =
      count_only || (failure == Failure::kNone && descriptor.has(option::kSuccessDisable));
  triggers.count(descriptor, event);
  if (EventQueue* queue = silent ? nullptr : events.queue(descriptor.queue())) {
    event.link = queue->next_sequence();
    sequence = events.deposit(*queue, event);
    logged = true;
  }
  entries.unlink_if_due(descriptor, event, logged, sequence);
}

void NetworkInterface::end_at_once(MemoryDescriptor& descriptor, Event& event, EventKind kind,
                                   bool logged) {
  events.fill(event, descriptor, kind);
  triggers.count(descriptor, event);
  entries.unlink_if_due(descriptor, event, logged, event.sequence);
}

}  // namespace lintel::portals
