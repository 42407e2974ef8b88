#pragma once
// PendingRequest: the record of a request at its initiator until the answer has come: what was
// asked, to check and complete the answer.
//
// Owned by the Initiator; a part of an Operation. Guarded by the process' lock.

#include <cstdint>

#include "base/slot_pool.h"
#include "portals/engine/memory/memory_descriptor.h"
#include "portals/engine/values/request_arguments.h"
#include "portals/engine/wire/wire_format.h"

namespace lintel::portals {

enum class PendingKind : std::uint8_t {
  kPut,    // put or atomic: an ACK answers it
  kGet,    // a REPLY answers it, or the writes for its CLEAR
  kFetch,  // getput, fetch-atomic, swap: a REPLY answers it
};

struct PendingRequest {
  explicit PendingRequest(PendingKind k) : kind(k) {}

  PendingKind kind;
  SlotId id;
  wire::Request sent{};
  void* user_pointer = nullptr;  // for the events of the answer
  AckRequest ack = AckRequest::kNone;
  bool pins = false;      // the descriptor of the answer is busy until this record ends (Portals 4)
  bool answered = false;  // ACK, REPLY or DISCARD has come, but data are still moving
  bool acknowledged = false;  // it was an ACK: `answer` is logged after the source's SEND_END
  wire::Response answer{};

  bool wants_ack() const { return (sent.header.flags & wire::kFlagAckWanted) != 0; }
  SlotId descriptor() const { return {sent.md_handle, sent.md_generation}; }
  // For what a descriptor that it pins is busy.
  MemoryDescriptor::Awaits awaits() const {
    return kind == PendingKind::kPut ? MemoryDescriptor::Awaits::kAck
                                     : MemoryDescriptor::Awaits::kReply;
  }
};

}  // namespace lintel::portals
