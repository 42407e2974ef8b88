#pragma once
// TriggeredOperation: an operation of the program that begins when a counting event reaches a
// threshold (Portals 4).
//
// Owned by the interface's pool from arm() until it has been carried out or cancelled. Keeps its
// descriptors busy meanwhile. Guarded by the process' lock.

#include <boost/intrusive/slist_hook.hpp>
#include <cstdint>

#include "portals/engine/events/counting_event.h"
#include "portals/engine/values/request_arguments.h"

namespace lintel::portals {

enum class TriggeredKind : std::uint8_t {
  kPut,
  kGet,
  kAtomic,
  kFetchAtomic,
  kSwap,
  kIncrement,
  kSet
};

struct TriggeredOperation : Triggered {
  TriggeredOperation(std::uint64_t threshold, TriggeredKind what)
      : Triggered(threshold), kind(what) {}

  // It begins with a target, which may have no room.
  bool is_on_network() const {
    return kind != TriggeredKind::kIncrement && kind != TriggeredKind::kSet;
  }

  TriggeredKind kind;
  SlotId id;                   // in the interface's pool; set once after creation
  SlotId trigger;              // the counting event that it waits for
  RequestArguments arguments;  // of an operation on the network
  SlotId counter;  // kIncrement, kSet: the counting event, which is changed by or set to `value`
  CountingEvent::Value value;
  boost::intrusive::slist_member_hook<> due_link;  // in the list of those that are due
};

}  // namespace lintel::portals
