#pragma once
// Handles of Portals 3: one integer that says what kind of object, on which interface, in which slot, of which generation.
//
// bits 31..29 kind, 28..27 interface, 26..11 slot, 10..0 generation. No object has all low 29 bits set, so PTL_INVALID_HANDLE, PTL_HANDLE_NONE and
// PTL_EQ_NONE never decode to one.

#include <cstdint>

#include "base/slot_pool.h"
#include "portals3.h"

namespace lintel::api3 {

enum class HandleKind : std::uint32_t { kInterface = 1, kEntry = 2, kDescriptor = 4, kQueue = 6 };

struct Decoded {
  HandleKind kind;
  std::uint32_t interface;
  SlotId id;
};

inline constexpr std::uint32_t kGenerationBits = 11;
inline constexpr std::uint32_t kSlotBits = 16;

constexpr ptl_handle_any_t encode(HandleKind kind, std::uint32_t interface, SlotId id) {
  return (static_cast<std::uint32_t>(kind) << 29) | (interface << 27) | (id.slot << kGenerationBits) | id.generation;
}

constexpr Decoded decode(ptl_handle_any_t handle) {
  return {static_cast<HandleKind>(handle >> 29),
          (handle >> 27) & 3U,
          {(handle >> kGenerationBits) & ((1U << kSlotBits) - 1), handle & ((1U << kGenerationBits) - 1)}};
}

// The handle of an interface itself.
constexpr ptl_handle_ni_t interface_handle(std::uint32_t interface) { return encode(HandleKind::kInterface, interface, {0, 1}); }

}  // namespace lintel::api3
