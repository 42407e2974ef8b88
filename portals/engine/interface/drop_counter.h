#pragma once
// The process' counter of a cause for which messages are dropped.

#include <cstddef>

#include "base/counters.h"
#include "portals/engine/interface/status_registers.h"

namespace lintel::portals {

inline Counter counter_of(DropCause cause) {
  static constexpr Counter kCounters[] = {
      Counter::kDropsBadPortalIndex, Counter::kDropsBadCookie,   Counter::kDropsAccessDenied,
      Counter::kDropsNoMatch,        Counter::kDropsStaleHandle, Counter::kDropsMalformed,
      Counter::kDropsPortalDisabled, Counter::kDropsOperation,   Counter::kDropsInaccessible};
  return kCounters[static_cast<std::size_t>(cause)];
}

}  // namespace lintel::portals
