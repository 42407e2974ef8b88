#pragma once
// Event: what the engine tells a program about one step of one operation. The API faces translate it into their own structs.

#include <cstdint>

#include "base/ids.h"
#include "base/slot_pool.h"

namespace lintel::portals {

enum class EventKind : std::uint8_t {
  kGetStart,
  kGetEnd,
  kPutStart,
  kPutEnd,
  kGetPutStart,
  kGetPutEnd,
  kReplyStart,
  kReplyEnd,
  kSendStart,
  kSendEnd,
  kAck,
  kUnlink,
};

// Why an operation ended without success.
enum class Failure : std::uint8_t { kNone, kFailed, kPeerDead, kShutdown };

// A descriptor as its owner described it, with what its accounting has left.
struct DescriptorSnapshot {
  void* start = nullptr;     // as given: the memory, or the array of pieces
  std::uint64_t length = 0;  // as given: bytes, or pieces
  std::int32_t threshold = 0;
  std::uint32_t options = 0;
  std::uint64_t max_size = 0;
  void* user_pointer = nullptr;
  SlotId queue;  // generation 0: none
};

struct Event {
  EventKind kind = EventKind::kUnlink;
  Failure failure = Failure::kNone;
  std::uint32_t sequence = 0;  // filled by the queue
  std::uint32_t link = 0;
  ProcessId initiator;
  UserId user;
  JobId job;
  std::uint32_t portal_index = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t requested_length = 0;
  std::uint64_t manipulated_length = 0;
  std::uint64_t offset = 0;
  std::uint64_t header_data = 0;
  SlotId descriptor;
  DescriptorSnapshot snapshot;
};

}  // namespace lintel::portals
