#pragma once
// Handles of Portals 4 have the format of the engine's handles (portals/engine/values/handle.h).
// Its interfaces have the numbers 0 to 3 in a handle, and 1 to 4 in the engine.

#include <type_traits>

#include "portals/engine/values/handle.h"
#include "portals4.h"

namespace lintel::api4 {

static_assert(std::is_same_v<ptl_handle_any_t, std::uint32_t>);

using portals::decode;
using portals::Decoded;
using portals::HandleKind;

constexpr std::uint8_t engine_kind(std::uint32_t number) {
  return static_cast<std::uint8_t>(number + 1);
}
constexpr std::uint32_t number_of(std::uint8_t engine_kind) { return engine_kind - 1U; }

// The number of the interface that `options` ask for; 4 if they name none.
constexpr std::uint32_t number_for(unsigned options) {
  switch (options) {
    case PTL_NI_MATCHING | PTL_NI_LOGICAL: return 0;
    case PTL_NI_NO_MATCHING | PTL_NI_LOGICAL: return 1;
    case PTL_NI_MATCHING | PTL_NI_PHYSICAL: return 2;
    case PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL: return 3;
    default: return 4;
  }
}
constexpr bool is_matching(std::uint8_t engine_kind) { return number_of(engine_kind) % 2 == 0; }
constexpr bool is_logical(std::uint8_t engine_kind) { return number_of(engine_kind) < 2; }

constexpr ptl_handle_any_t encode(HandleKind kind, std::uint8_t engine_kind, SlotId id) {
  return portals::encode(kind, number_of(engine_kind), id);
}
constexpr ptl_handle_ni_t interface_handle(std::uint8_t engine_kind) {
  return portals::interface_handle(number_of(engine_kind));
}

}  // namespace lintel::api4
