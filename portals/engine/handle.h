#pragma once
// Handles: one integer that says what kind of object, on which interface, in which slot, of which generation. Both APIs use them.
//
// bits 31..29 kind, 28..27 interface, 26..11 slot, 10..0 generation. No object has all low 29 bits set: interfaces whose number is 3 have at most 65,535
// objects of a kind. So no value with all of them set (PTL_INVALID_HANDLE, PTL_EQ_NONE, PTL_CT_NONE, PTL_HANDLE_NONE) decodes to one.

#include <cstdint>

#include "base/slot_pool.h"

namespace lintel::portals {

enum class HandleKind : std::uint32_t { kInterface = 1, kEntry = 2, kCounter = 3, kDescriptor = 4, kQueue = 6 };

struct Decoded {
  HandleKind kind;
  std::uint32_t interface;
  SlotId id;
};

inline constexpr std::uint32_t kGenerationBits = 11;
inline constexpr std::uint32_t kSlotBits = 16;

constexpr std::uint32_t encode(HandleKind kind, std::uint32_t interface, SlotId id) {
  return (static_cast<std::uint32_t>(kind) << 29) | (interface << 27) | (id.slot << kGenerationBits) | id.generation;
}

constexpr Decoded decode(std::uint32_t handle) {
  return {static_cast<HandleKind>(handle >> 29),
          (handle >> 27) & 3U,
          {(handle >> kGenerationBits) & ((1U << kSlotBits) - 1), handle & ((1U << kGenerationBits) - 1)}};
}

// The handle of an interface itself.
constexpr std::uint32_t interface_handle(std::uint32_t interface) { return encode(HandleKind::kInterface, interface, {0, 1}); }

}  // namespace lintel::portals
