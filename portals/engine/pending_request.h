#pragma once
// PendingRequest: what the initiator of an operation keeps until its answer has come: what was
// asked, to check and to complete the answer.
//
// Owned by the Initiator; a part of an Operation. Guarded by the process' lock.

#include <cstdint>

#include "base/slot_pool.h"
#include "portals/engine/memory_descriptor.h"
#include "portals/engine/request_arguments.h"
#include "portals/engine/wire_format.h"

namespace lintel::portals {

struct PendingRequest {
  enum class Kind : std::uint8_t {
    kPut,    // and atomic: an ACK answers it
    kGet,    // a REPLY answers it, or the writes that its CLEAR has asked for
    kFetch,  // getput, fetch-atomic, swap: a REPLY answers it
  };

  explicit PendingRequest(Kind k) : kind(k) {}

  Kind kind;
  SlotId id;
  wire::Request sent{};
  void* user_pointer = nullptr;  // for the events of the answer
  AckRequest ack = AckRequest::kNone;
  bool pins = false;          // the descriptor that the answer goes to is busy until this record
                              // ends (Portals 4)
  bool answered = false;      // ACK, REPLY or DISCARD has come, but data are still moving
  bool acknowledged = false;  // it was an ACK: `answer` is to be logged after the source's own
                              // event
  wire::Response answer{};

  bool wants_ack() const { return (sent.header.flags & wire::kFlagAckWanted) != 0; }
  SlotId descriptor() const { return {sent.md_handle, sent.md_generation}; }
  // What a descriptor that it pins is busy for.
  MemoryDescriptor::Awaits awaits() const {
    return kind == Kind::kPut ? MemoryDescriptor::Awaits::kAck : MemoryDescriptor::Awaits::kReply;
  }
};

}  // namespace lintel::portals
