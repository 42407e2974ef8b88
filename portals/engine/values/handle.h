#pragma once
// Handles: an integer that contains the kind of an object, its interface, its slot and its
// generation. Both APIs use them.
//
// bits 31..29 kind, 28..27 interface, 26..9 slot, 8..0 generation. No object has all low 29 bits
// set, because interface number 3 has fewer objects of a kind than there are slots. So a value with
// all of them set (PTL_INVALID_HANDLE, PTL_EQ_NONE, PTL_CT_NONE, PTL_HANDLE_NONE) decodes to no
// object. There are many slots because programs make long lists, and few generations: a pool uses
// its slots in turn (slot_pool.h, invariant 3), so that an old handle names a new object only after
// 511 turns of at least 64 objects.

#include <cstdint>

#include "base/slot_pool.h"

namespace lintel::portals {

enum class HandleKind : std::uint32_t {
  kInterface = 1,
  kEntry = 2,
  kCounter = 3,
  kDescriptor = 4,
  kQueue = 6
};

struct Decoded {
  HandleKind kind;
  std::uint32_t interface;
  SlotId id;
};

inline constexpr std::uint32_t kGenerationBits = 9;
inline constexpr std::uint32_t kSlotBits = 18;
static_assert(3 + 2 + kSlotBits + kGenerationBits == 32);

constexpr std::uint32_t encode(HandleKind kind, std::uint32_t interface, SlotId id) {
  return (static_cast<std::uint32_t>(kind) << 29) | (interface << 27) |
         (id.slot << kGenerationBits) | id.generation;
}

constexpr Decoded decode(std::uint32_t handle) {
  return {static_cast<HandleKind>(handle >> 29),
          (handle >> 27) & 3U,
          {(handle >> kGenerationBits) & ((1U << kSlotBits) - 1),
           handle & ((1U << kGenerationBits) - 1)}};
}

// The handle of an interface itself.
constexpr std::uint32_t interface_handle(std::uint32_t interface) {
  return encode(HandleKind::kInterface, interface, {0, 1});
}

}  // namespace lintel::portals
