#pragma once
// Event: what the engine tells a program about one step of one operation. The API faces translate
// it into their own structs.

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
  // Portals 4 only. It has no START events; the END events above are its PUT, GET, SEND and so on,
  // kUnlink its AUTO_UNLINK.
  kAtomicEnd,
  kFetchAtomicEnd,
  kPutOverflow,
  kGetOverflow,
  kAtomicOverflow,
  kFetchAtomicOverflow,
  kLink,
  kFree,
  kPortalDisabled,
  kSearch,
  kPeerLost,  // for who has asked for such news (EventLog::tell_losses); `initiator` is the peer
};

// Whether the end of an operation tells of a message that this process has matched, and not of one
// that it has started itself.
constexpr bool is_arrival(EventKind end) {
  return end != EventKind::kSendEnd && end != EventKind::kReplyEnd;
}

// Why an operation ended without success. From kDropped on: what a Portals 4 target answers; these
// numbers travel.
enum class Failure : std::uint8_t {
  kNone = 0,
  kFailed = 1,
  kPeerDead = 2,
  kShutdown = 3,
  kDropped = 4,         // no such portal, or nothing there that takes it
  kPortalDisabled = 5,  // the portal takes nothing now
  kPermission = 6,      // the entry is for another user
  kOperation = 7,       // the entry does not allow this operation
  kNoInterface = 8,     // the process has no such interface
  kInaccessible = 9,    // memory of the entry is not there, or not for this operation
  kNoMatch = 10,        // a search found nothing; does not travel
};
inline constexpr std::uint8_t kHighestFailureOnWire = 9;

// The lists of a portal. Portals 3 has the first only.
enum class PortalList : std::uint8_t { kPriority, kOverflow };

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
  PortalList list = PortalList::kPriority;
  std::uint8_t atomic_operation = 0;  // of the kinds that are atomic
  std::uint8_t atomic_datatype = 0;
  std::uint32_t sequence = 0;  // filled by the queue
  std::uint32_t link = 0;
  ProcessId initiator;
  UserId user;
  JobId job;
  std::uint32_t portal_index = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t requested_length = 0;
  std::uint64_t manipulated_length = 0;
  std::uint64_t offset = 0;         // in the memory that the event is about
  void* start = nullptr;            // the address of that, where a message of Portals 4 has met an
                                    // entry
  std::uint64_t remote_offset = 0;  // as the request had it
  std::uint64_t header_data = 0;
  void* user_pointer = nullptr;  // of the operation at its initiator, of the entry at its target
  SlotId descriptor;
  DescriptorSnapshot snapshot;
};

}  // namespace lintel::portals
