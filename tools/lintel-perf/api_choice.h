#pragma once
// Through which API the measured operations go, and how their completion is learnt.

namespace lintel::perf {

enum class Api : int { kPortals3 = 3, kPortals4 = 4 };

enum class Notify { kEvents, kCounters };

// As options and reports name it.
constexpr const char* name_of(Notify notify) { return notify == Notify::kEvents ? "events" : "counters"; }

}  // namespace lintel::perf
