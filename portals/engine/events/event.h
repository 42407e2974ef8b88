#pragma once
// Event: reports one step of an operation to a program. The C interfaces convert it to their own
// structs.

#include <cstdint>

#include "base/ids.h"
#include "base/slot_pool.h"
#include "portals/engine/memory/descriptor_snapshot.h"

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
  // Portals 4 only. Portals 4 has no START events. The END events above are its PUT, GET, SEND and
  // so on; kUnlink is its AUTO_UNLINK.
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
  kPeerLost,  // a peer was lost (EventLog::report_losses); `initiator` is the peer
};

// Whether the event ends an operation of another process that was matched here, and not one that
// this process has started.
constexpr bool is_arrival(EventKind end) {
  return end != EventKind::kSendEnd && end != EventKind::kReplyEnd;
}

// Why an operation failed. The numbers from kDropped to kHighestFailureOnWire are part of the wire
// format: the answers of a Portals 4 target.
enum class Failure : std::uint8_t {
  kNone = 0,
  kFailed = 1,
  kPeerDead = 2,
  kShutdown = 3,
  kDropped = 4,         // no such portal, or no entry accepted it
  kPortalDisabled = 5,  // the portal is disabled
  kPermission = 6,      // the entry is for another user
  kOperation = 7,       // the entry does not allow this operation
  kNoInterface = 8,     // the process has no such interface
  kInaccessible = 9,    // memory of the entry is not mapped, or may not be accessed in this way
  kNoMatch = 10,        // a search found nothing; not on the wire
};
inline constexpr std::uint8_t kHighestFailureOnWire = 9;

// The lists of a portal. Portals 3 has only the first.
enum class PortalList : std::uint8_t { kPriority, kOverflow };

struct Event {
  EventKind kind = EventKind::kUnlink;
  Failure failure = Failure::kNone;
  PortalList list = PortalList::kPriority;
  std::uint8_t atomic_operation = 0;  // only of atomic operations
  std::uint8_t atomic_datatype = 0;
  std::uint32_t sequence = 0;  // set by the queue
  std::uint32_t link = 0;
  ProcessId initiator;
  UserId user;
  JobId job;
  std::uint32_t portal_index = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t requested_length = 0;
  std::uint64_t manipulated_length = 0;
  std::uint64_t offset = 0;         // in the memory of the operation
  void* start = nullptr;            // its address, if a message of Portals 4 has matched an entry
  std::uint64_t remote_offset = 0;  // the offset of the request
  std::uint64_t header_data = 0;
  // at the initiator that of the operation, at the target that of the entry
  void* user_pointer = nullptr;
  SlotId descriptor;
  DescriptorSnapshot snapshot;
};

}  // namespace lintel::portals
