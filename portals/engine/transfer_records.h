#pragma once
// TransferSource and TransferSink: the two ends of a long transfer, whose data move by writes.
//
// Owned by Transfers; each is a part of an Operation. Guarded by the process' lock.

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "portals/engine/completion.h"
#include "portals/engine/memory_region.h"
#include "portals/engine/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

using Registrations = boost::container::small_vector<transport::Region, 1>;

// Where data leave by writes.
struct TransferSource {
  enum class State : std::uint8_t {
    kAnnounced,  // waits for CLEAR, the first or the next
    kWriting,    // writes are posted or wait for room
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

  SlotId id;
  State state = State::kAnnounced;
  Completion completion;  // the END event to log when the data have left: SEND_END, GET_END
  MemoryRegion region;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t cleared = 0;  // bytes that the receiver has asked for
  Registrations registered;

  std::uint64_t receiver_token = 0;
  transport::Immediate immediate;
  boost::container::small_vector<Write, 1> writes;  // for the last CLEAR
  std::uint32_t writes_posted = 0;
  std::uint32_t writes_done = 0;
  Failure failure = Failure::kNone;
  bool arrived = false;   // the receiver has acknowledged the data
  bool answered = false;  // it has said its last word; no CLEAR follows
  bool waits_for_room = false;
  bool parcel = false;        // its one write is the payload of one: the receiver keeps no record
  bool more_follows = false;  // the last CLEAR said so
  std::unique_ptr<HeldClear> held_clear;

  // The receiver has asked for bytes, or said that it will, that are not on their way.
  bool owes_data() const { return more_follows || writes_posted < writes.size(); }
};

// Where data land by writes. The counts are those of the writes for the last CLEAR.
struct TransferSink {
  SlotId id;
  Completion completion;  // PUT_END or REPLY_END; none where a get has sent its CLEAR along, which
                          // the initiator tells of
  MemoryRegion region;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t cleared = 0;  // bytes that it has asked for
  Registrations registered;

  std::uint64_t source_token = 0;
  std::uint32_t writes_seen = 0;
  std::uint64_t writes_expected = 1;
  bool count_known = true;  // false: more than one write, WRITTEN has not come yet
  bool ahead = false;       // of a get that waits for no REPLY, unless one comes
  bool answers = false;     // send `answer` (an ACK) once the data are in place, or else DISCARD
                            // `release_token` if not 0
  wire::Response answer{};
  std::uint64_t release_token = 0;
};

}  // namespace lintel::portals
