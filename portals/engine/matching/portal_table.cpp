#include "portals/engine/matching/portal_table.h"

#include "base/assert.h"

namespace lintel::portals {

PortalTable::PortalTable(EventLog& events, std::uint32_t max_index, bool all_enabled,
                         PendingWork& pending_work)
    : events_(events), portals_(std::size_t{max_index} + 1), pending_work_(pending_work) {
  if (!all_enabled) return;
  for (Portal& portal : portals_) portal.state = PortalState::kEnabled;
}

Status PortalTable::allocate(const Rules& rules, SlotId queue, std::uint32_t wanted,
                             std::uint32_t& made) {
  if (!events_.may_use(queue)) return Status::kQueueInvalid;
  std::uint32_t index = wanted;
  if (wanted == kAnyId) {
    index = 0;
    while (index <= max_index() && portals_[index].state != PortalState::kFree) ++index;
    if (index > max_index()) return Status::kPortalFull;
  }
  if (index > max_index()) return Status::kPortalInvalid;
  Portal& portal = portals_[index];
  if (portal.state != PortalState::kFree) return Status::kPortalInUse;
  portal.queue = queue;
  portal.flow_control = rules.flow_control;
  portal.state = rules.enabled ? PortalState::kEnabled : PortalState::kDisabled;
  made = index;
  return Status::kOk;
}

Status PortalTable::test_free(std::uint32_t index) {
  const Portal* const portal = existing(index);
  if (portal == nullptr) return Status::kPortalInvalid;
  const bool in_use = !portal->priority.empty() || !portal->overflow.empty() || portal->active > 0;
  return in_use ? Status::kPortalInUse : Status::kOk;
}

void PortalTable::free(std::uint32_t index) {
  Portal& portal = portals_[index];
  LINTEL_ASSERT(portal.unexpected.size() == 0);
  portal.state = PortalState::kFree;
  portal.queue = {};
}

Status PortalTable::disable(std::uint32_t index) {
  Portal* const portal = existing(index);
  if (portal == nullptr) return Status::kPortalInvalid;
  if (portal->state == PortalState::kEnabled) portal->state = PortalState::kDraining;
  if (portal->active == 0) finish_disabling(*portal);
  return Status::kOk;
}

Status PortalTable::enable(std::uint32_t index) {
  Portal* const portal = existing(index);
  if (portal == nullptr) return Status::kPortalInvalid;
  portal->state = PortalState::kEnabled;
  return Status::kOk;
}

void PortalTable::enter(Completion& completion) {
  Portal& portal = portals_[completion.event.portal_index];
  ++portal.active;
  completion.on_portal = true;
  completion.portal_turn = portal.turn;
}

void PortalTable::leave(std::uint32_t index, std::uint32_t turn) {
  Portal& portal = portals_[index];
  LINTEL_ASSERT(portal.active > 0);
  if (--portal.active == 0 && portal.state == PortalState::kDraining) finish_disabling(portal);
  if (turn != portal.turn && --portal.draining == 0) log_disabled(portal, index);
}

// A full queue disables all portals that use it.
void PortalTable::refuse(Portal& portal, Room room, const MemoryDescriptor* matched) {
  if (!portal.flow_control) return;
  const bool reported = matched == nullptr || !matched->has(option::kFlowDisable);
  if (room != Room::kQueueFull) return disable_itself(portal, reported);
  for (Portal& other : portals_) {
    if (other.flow_control && other.queue == portal.queue) disable_itself(other, reported);
  }
}

void PortalTable::disable_itself(Portal& portal, bool reported) {
  if (portal.state != PortalState::kEnabled) return;
  portal.state = PortalState::kDraining;
  ++portal.turn;
  portal.draining = portal.active;
  if (reported) ++portal.unlogged;
  if (portal.active > 0) return;
  finish_disabling(portal);
  log_disabled(portal, static_cast<std::uint32_t>(&portal - portals_.data()));
}

void PortalTable::finish_disabling(Portal& portal) {
  if (portal.state == PortalState::kDraining) portal.state = PortalState::kDisabled;
  pending_work_.wake_needed = true;  // PtlPTDisable may wait for this
}

void PortalTable::log_disabled(Portal& portal, std::uint32_t index) {
  for (; portal.unlogged > 0; --portal.unlogged) {
    EventQueue* const queue = events_.queue(portal.queue);
    if (queue == nullptr) continue;
    Event event;
    event.kind = EventKind::kPortalDisabled;
    event.failure = Failure::kPortalDisabled;
    event.portal_index = index;
    events_.deposit_spare(*queue, event);
  }
}

}  // namespace lintel::portals
