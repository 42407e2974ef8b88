#pragma once
// TransferSource and TransferSink: the two ends of a long transfer, whose data move by writes.
//
// Owned by Transfers; each is a part of an Operation. Guarded by the process' lock.

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "portals/engine/events/completion.h"
#include "portals/engine/memory/memory_region.h"
#include "portals/engine/protocol/write_plan.h"
#include "portals/engine/wire/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

using Registrations = boost::container::small_vector<transport::Registration, 1>;

enum class SourceState : std::uint8_t {
  kAnnounced,  // waits for the first or the next CLEAR
  kWriting,    // writes are posted or wait for room
};

struct Operation;

// The end from which data are written.
struct TransferSource {
  // A CLEAR that arrived before the writes for the last one had ended.
  struct HeldClear {
    wire::Clear message;
    std::vector<std::byte> segments;
  };

  SlotId id;
  Operation* operation = nullptr;  // whose part it is
  SourceState state = SourceState::kAnnounced;
  Completion completion;  // the event to log when the data have left: SEND_END or GET_END
  MemoryRegion region;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t cleared = 0;  // bytes that the receiver has asked for
  // of each run for the last CLEAR; empty if the network needs none of what is written
  Registrations registered;

  std::uint64_t receiver_token = 0;
  transport::Immediate immediate;
  WritePlan plan;            // for the last CLEAR
  std::uint64_t writes = 0;  // that are to be posted for it
  std::uint64_t writes_posted = 0;
  std::uint64_t writes_done = 0;
  Failure failure = Failure::kNone;
  bool arrived = false;   // the receiver has acknowledged the data
  bool answered = false;  // its last message has come; no CLEAR follows
  // linked while its next write waits for room; unlinks itself at its end
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      room_link;
  // its one write is the payload of a placed message: the receiver keeps no record
  bool placed = false;
  bool more_follows = false;  // the last CLEAR said so
  std::unique_ptr<HeldClear> held_clear;

  // The receiver has asked for bytes that are not posted, or has announced that it will.
  bool owes_data() const { return more_follows || writes_posted < writes; }
};

using WaitingSources = boost::intrusive::list<
    TransferSource,
    boost::intrusive::member_hook<TransferSource,
                                  boost::intrusive::list_member_hook<
                                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
                                  &TransferSource::room_link>,
    boost::intrusive::constant_time_size<false>>;

// The end to which data are written. The counts are those of the writes for the last CLEAR.
struct TransferSink {
  SlotId id;
  Operation* operation = nullptr;  // whose part it is
  // Goes with every write, see Immediates.
  transport::Immediate immediate;
  TransferSink* next_in_bucket = nullptr;
  // PUT_END or REPLY_END; none if a get has contained the CLEAR: then the PendingRequest logs it
  Completion completion;
  MemoryRegion region;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t cleared = 0;  // bytes for which it has sent a CLEAR
  Registrations registered;

  std::uint64_t source_token = 0;
  std::uint32_t writes_seen = 0;
  std::uint64_t writes_expected = 1;
  bool count_known = true;  // false: more than one write, WRITTEN has not come yet
  // of a get that has contained the CLEAR: no REPLY is needed, but one may come
  bool ahead = false;
  // send `answer` (an ACK) when the data are in place; if false, send DISCARD for `release_token`
  // unless that is 0
  bool answers = false;
  wire::Response answer{};
  std::uint64_t release_token = 0;
};

}  // namespace lintel::portals
