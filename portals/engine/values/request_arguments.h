#pragma once
// What a program says when it starts an operation, whichever API it speaks (Portals 3.3 clause
// 3.13; Portals 4, data movement).

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "base/slot_pool.h"

namespace lintel::portals {

enum class AckRequest : std::uint8_t {
  kNone,
  kFull,   // an event, and the counting event if the descriptor says so
  kCount,  // the counting event only
};

inline constexpr std::size_t kOperandBytes = 32;  // of the largest datatype

struct RequestArguments {
  SlotId descriptor;
  std::uint64_t local_offset = 0;
  std::uint64_t length = 0;
  ProcessId target;
  std::uint32_t portal_index = 0;
  std::uint32_t cookie = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t remote_offset = 0;
  std::uint64_t header_data = 0;
  bool whole_descriptor = true;  // local_offset and length are not given: all of it
  std::uint64_t first_byte() const { return whole_descriptor ? 0 : local_offset; }

  AckRequest ack = AckRequest::kNone;
  bool is_volatile = false;      // the program may change the memory as soon as the call returns
  void* user_pointer = nullptr;  // returned in the events of the initiator
  // Operations that fetch: the memory for the reply.
  SlotId get_descriptor;
  std::uint64_t get_offset = 0;
  // Atomic operations: numbers of AtomicOp and AtomicDatatype. Only SWAP uses `operand`: the value
  // with which a conditional swap compares, then zeros. Otherwise it has no value.
  std::uint8_t atomic_operation = 0;
  std::uint8_t atomic_datatype = 0;
  std::array<std::byte, kOperandBytes> operand;
};

}  // namespace lintel::portals
