#pragma once
// What the entries of a measured list are: all exact, or some of them with wildcards.

namespace lintel::portals {

enum class EntryMix { kExact, kWithWildcards };

}  // namespace lintel::portals
