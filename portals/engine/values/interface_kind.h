#pragma once
// The numbers of the interfaces of a process, which messages carry.

#include <cstddef>
#include <cstdint>

namespace lintel::portals {

inline constexpr std::uint8_t kPortals3Kind = 0;  // all others are of Portals 4
// The interface of a layer above, beside those that programs of Portals 4 open.
inline constexpr std::uint8_t kLayerKind = 5;
inline constexpr std::uint8_t kHighestInterfaceKind = kLayerKind;
inline constexpr std::size_t kMaxInterfaces = kHighestInterfaceKind + 1;

}  // namespace lintel::portals
