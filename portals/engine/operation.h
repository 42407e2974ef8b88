#pragma once
// Operation: the engine's record of something under way with one peer: a request that waits for its answer, or data that are moving by writes.
//
// Owned by the Endpoint's pool, linked into its peer's list for as long as it lives, so that the peer's death ends it. Guarded by the endpoint's lock.
// Its SlotId travels as token; the other side echoes it and never looks inside.
//
//   kPut, kGet, kGetPut   at the initiator, until ACK, REPLY or DISCARD. A large put is its own source.
//   kReplySource          at the target of a large get, until its writes have left.
//   kSink                 where data land by writes: a large put at its target, a large reply at its initiator.
//
// A kGet that has sent a CLEAR along is a sink too, until a REPLY comes: its source sends one only if it does not write all that was asked for.

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "portals/engine/completion.h"
#include "portals/engine/memory_descriptor.h"
#include "portals/engine/memory_region.h"
#include "portals/engine/request_arguments.h"
#include "portals/engine/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

struct Operation {
  enum class Role : std::uint8_t { kPut, kGet, kGetPut, kReplySource, kSink };
  // Where the data of a source (large kPut, kReplySource) are.
  enum class Source : std::uint8_t {
    kNone,       // the data went with the message, or there are none
    kAnnounced,  // waits for CLEAR, the first or the next
    kWriting,    // writes are posted or wait for room
    kDone,
  };
  struct Write {
    transport::LocalMemory from;
    transport::RemoteMemory to;
  };

  // A CLEAR that has overtaken the ends of the writes for the one before.
  struct HeldClear {
    wire::Clear message;
    std::vector<std::byte> segments;
  };

  Operation(Role r, transport::PeerId p, std::uint8_t kind) : role(r), peer(p), interface_kind(kind) {}

  Role role;
  transport::PeerId peer;
  std::uint8_t interface_kind;
  SlotId id;
  boost::intrusive::list_member_hook<> peer_link;

  bool own = false;     // a request of this process began it; not one that has arrived
  bool moving = false;  // its interface does not close before it, as long as it moves: a source that is not done, a sink that is cleared

  // The END event to log when the data have moved: SEND_END (large put), GET_END (kReplySource), PUT_END or REPLY_END (kSink).
  Completion completion;

  // Initiator roles: what was asked, to check and to complete the answer.
  wire::Request request{};
  void* user_pointer = nullptr;  // for the events of the answer
  AckRequest ack = AckRequest::kNone;
  bool pins = false;          // the descriptor that the answer goes to is busy until this record ends (Portals 4)
  bool answered = false;      // ACK or DISCARD has come, but the source is still writing
  bool acknowledged = false;  // it was an ACK: `answer` is to be logged after the source's own event
  wire::Response answer{};

  // Sources and sinks: where the data are, or go to, and how many bytes of them have been asked for by CLEAR.
  MemoryRegion region;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t cleared = 0;

  // Sources.
  Source source = Source::kNone;
  std::uint64_t receiver_token = 0;
  transport::Immediate immediate;
  std::uint32_t writes_posted = 0;
  std::uint32_t writes_done = 0;
  Failure write_failure = Failure::kNone;
  bool waits_for_room = false;
  bool parcel = false;        // its one write is the payload of one: the receiver keeps no record
  bool more_follows = false;  // the last CLEAR said so
  std::unique_ptr<HeldClear> held_clear;
  boost::container::small_vector<Write, 1> writes;

  // Sources and sinks: what is registered for the transfer.
  boost::container::small_vector<transport::Region, 1> registered;

  // Sinks. The writes are those for the last CLEAR.
  std::uint64_t source_token = 0;
  std::uint32_t writes_seen = 0;
  std::uint64_t writes_expected = 1;
  bool count_known = true;        // false: more than one write, WRITTEN has not come yet
  bool answer_when_done = false;  // send `answer` (an ACK), or DISCARD `release_token` if not 0, once the data are in place
  std::uint64_t release_token = 0;

  // What a descriptor that it pins is busy for. REQUIRES: it began at an initiator.
  MemoryDescriptor::Awaits awaits() const { return role == Role::kPut ? MemoryDescriptor::Awaits::kAck : MemoryDescriptor::Awaits::kReply; }
  // Its memory is open to writes: a sink, or a kGet that has sent a CLEAR along.
  bool lands() const { return role == Role::kSink || (role == Role::kGet && !registered.empty()); }
  // The receiver has asked for bytes, or said that it will, that are not on their way.
  bool owes_data() const { return more_follows || writes_posted < writes.size(); }
};

}  // namespace lintel::portals
