#pragma once
// Transfers: every long transfer, whichever operation it is of: its source and sink records, its
// registrations, what moves and what waits for room.
//
// One state machine for a large put, a large reply and a get that sends its CLEAR along: the
// receiver registers where the data land and says CLEAR, the source writes them there, and the
// receiver knows that they are in place by the immediate that comes with each write. No copy on
// either side. Memory in more pieces than one CLEAR names is cleared in rounds: the next CLEAR
// follows when the writes for the last have come.
//
// Owned by the Endpoint; owns sources, sinks and registrations; borrows transport, outbox,
// operations and counters. Guarded by the process' lock. Invariants: (1) each source and sink is a
//             part of one operation; (2) what is registered for it is deregistered before it ends;
//             (3) its completion is closed before it ends; (4) a function that may end the part of
//                 an operation which has a PendingRequest says so by Ended.
// Does not: match, log the events of requests (initiator.h), or trust what peers send.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/counters.h"
#include "base/slot_pool.h"
#include "portals/engine/operation.h"
#include "portals/engine/operations.h"
#include "portals/engine/outbox.h"
#include "portals/engine/transfer_records.h"
#include "portals/engine/wire_codec.h"
#include "transport/transport.h"

namespace lintel::portals {

class Transfers {
 public:
  // What has ended of an operation whose initiator keeps a PendingRequest. `operation` null:
  // nothing that it would want to know.
  struct Ended {
    Operation* operation = nullptr;
    Failure failure = Failure::kNone;
    std::uint64_t landed = 0;  // bytes that are in place, of a get that has had no REPLY
  };
  struct Place {
    const MemoryRegion* region;
    std::uint64_t offset;
    std::uint64_t length;
  };
  // What the source is told when all is in place: `answer`, or `release_token` (0: nothing).
  struct Answer {
    bool wanted = false;
    wire::Response response{};
    std::uint64_t release_token = 0;
  };
  static constexpr std::size_t kMostSegments = 64;  // of a CLEAR, so that it fits into a message
                                                    // everywhere and pins little at a time
  static constexpr std::size_t kMostClearBytes =
      sizeof(wire::Clear) + kMostSegments * sizeof(wire::Segment);

  Transfers(transport::Transport& transport, Outbox& outbox, Operations& operations,
            Counters& counters);
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  // ---- The source
  // `operation` gets a source that waits for a CLEAR. Its completion is taken over.
  void begin_source(Operation& operation, const Place& from, const Completion& completion);
  // The same for data that go at once as the payload of a parcel; the completion is set when that
  // has left.
  bool begin_parcel(Operation& operation, const wire::Request& request,
                    std::span<const std::byte> data, transport::PlacementKey key);
  void set_completion(Operation& operation, const Completion& completion);
  // A CLEAR that names the operation has come. False: it does not fit what the source waits for,
  // and nothing has happened.
  static bool may_clear(const Operation& operation, const wire::Clear& message);
  Ended clear(Operation& operation, const wire::Clear& message,
              std::span<const std::byte> segments);
  Ended write_ended(transport::Context context, Error error);
  // The receiver has acknowledged the data, or (`response_failed`) refused them; or has said that
  // it wants none (discarded).
  Ended acknowledged(Operation& operation, bool response_failed);
  Ended discarded(Operation& operation);

  // ---- The sink
  // Makes `operation` receive by writes: its memory is registered, and CLEAR sent. False: that is
  // not possible, nothing has happened, and the completion is still the caller's.
  bool begin_sink(Operation& operation, const Place& to, std::uint64_t source_token,
                  const Completion& completion, const Answer& answer);
  // Makes `get` a sink of all that it asks for: builds the CLEAR for it in `out` (kMostClearBytes)
  // and returns its size. 0: one CLEAR does not do, or the memory could not be registered, and
  // nothing has happened. `room`: for the CLEAR in its message.
  std::uint32_t clear_ahead(Operation& get, const Place& to, std::size_t room, std::byte* out);
  // Its reply does not come by the writes that the CLEAR has asked for.
  void withdraw_clear(Operation& get);
  // The sink that a write's immediate names, or null.
  Operation* sink_of(transport::Immediate immediate);
  Ended immediate_came(Operation& operation, transport::Immediate immediate);
  static bool may_count(const Operation& operation, const wire::Written& message);
  Ended written_came(Operation& operation, const wire::Written& message);

  // ---- Both
  // Ends the parts of `operation` that are here. True: the END of a source was still to be told,
  // and tells of the failure. `operation` may be gone then.
  [[gnu::cold]] bool fail(Operation& operation, Failure failure);
  // The operation is to be cut: tells the other side, if that waits for something that will not
  // come and would not learn it otherwise.
  [[gnu::cold]] void tell_cut(const Operation& operation);
  // Writes that had no room may have some now.
  bool waits_for_room() const { return !waiting_for_room_.empty(); }
  void retry();
  // Of one interface: how many transfers are under way, and how many writes have ended. The latter
  // never falls.
  std::size_t moving(std::uint8_t interface_kind) const { return tallies_[interface_kind].moving; }
  std::uint64_t writes_done(std::uint8_t interface_kind) const {
    return tallies_[interface_kind].writes_done;
  }

 private:
  TransferSource& make_source(Operation& operation);
  TransferSink& make_sink(Operation& operation, const Place& to);
  void end_source(Operation& operation);
  void end_sink(Operation& operation);
  void deregister(Registrations& registered);
  bool make_clear(const Operation& operation, TransferSink& sink, std::size_t room,
                  wire::Clear& clear, std::byte* segments);
  bool clear_next(const Operation& operation, TransferSink& sink);
  Ended finish_sink_if_complete(Operation& operation);
  Ended fail_sink(Operation& operation);
  [[gnu::cold]] void refuse_data(const Operation& operation, Failure failure);
  Ended start_writing(Operation& operation, const wire::Clear& message,
                      std::span<const std::byte> segments);
  bool plan_writes(const Operation& operation, const wire::Clear& message,
                   std::span<const std::byte> segments);
  void post_writes(Operation& operation);
  Ended writes_finished(Operation& operation);
  Ended source_finished(Operation& operation);
  Ended close_source(Operation& operation);
  [[gnu::cold]] Ended give_up(Operation& operation);

  struct Tally {
    std::size_t moving = 0;
    std::uint64_t writes_done = 0;
  };

  transport::Transport& transport_;
  Outbox& outbox_;
  Operations& operations_;
  Counters& counters_;
  SlotPool<TransferSource> sources_;
  SlotPool<TransferSink> sinks_;
  // operations whose next write had no room
  std::vector<SlotId> waiting_for_room_;
  std::array<Tally, wire::kHighestInterfaceKind + 1> tallies_{};  // by interface
};

}  // namespace lintel::portals
