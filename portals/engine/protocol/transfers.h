#pragma once
// Transfers: the long transfers of all operations: sources and sinks, registrations, the writes
// under way and those that wait for room.
//
// One state machine for a large put, a large reply and a get that contains its CLEAR. The receiver
// registers the memory for the data and sends CLEAR. The source writes the data there. The
// immediate of each write tells the receiver that its data are in place. There is no copy on either
// side. Memory in more pieces than fit into one CLEAR takes several rounds: the next CLEAR follows
// when the writes for the last one have come.
//
// Owned by the Endpoint. Owns sources, sinks and registrations; borrows transport, outbox,
// operations and counters. Guarded by the process' lock.
// Invariants: (1) each source and sink is a part of one operation; (2) its registrations are
// released before it ends; (3) its completion is closed before it ends; (4) a function that may end
// a part of an operation with a PendingRequest reports this by Ended.
// More than 30 members, because source and sink are the two halves of one exchange: each has its
// begin, its steps and its end, and both use the same registrations and waits for room.
// Does not: match, or log the events of requests (initiator.h). It checks what peers send.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/counters.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/protocol/immediates.h"
#include "portals/engine/protocol/operation.h"
#include "portals/engine/protocol/operations.h"
#include "portals/engine/protocol/outbox.h"
#include "portals/engine/protocol/transfer_records.h"
#include "portals/engine/values/interface_kind.h"
#include "portals/engine/wire/wire_codec.h"
#include "transport/transport.h"

namespace lintel::portals {

class Transfers {
 public:
  // Reports that a part of an operation with a PendingRequest has ended. `operation` null: none
  // has.
  struct Ended {
    Operation* operation = nullptr;
    Failure failure = Failure::kNone;
    std::uint64_t landed = 0;  // bytes that are in place, for a get without a REPLY
  };
  struct RegionPart {
    const MemoryRegion* region;
    std::uint64_t offset;
    std::uint64_t length;
  };
  // What is sent to the source when all data are in place: `response` if `wanted`, else DISCARD for
  // `release_token` (0: nothing).
  struct Answer {
    bool wanted = false;
    wire::Response response{};
    std::uint64_t release_token = 0;
  };
  static constexpr std::size_t kMostClearBytes =
      sizeof(wire::Clear) + wire::kMostSegments * sizeof(wire::Segment);

  Transfers(transport::Transport& transport, Outbox& outbox, Operations& operations,
            Counters& counters, std::uint64_t immediate_seed = 0);
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  // ---- The source
  // Gives `operation` a source that waits for a CLEAR, with that completion.
  void begin_source(Operation& operation, const RegionPart& from, Completion&& completion)
      LINTEL_REQUIRES(kLock);
  // The same for data that leave at once as the payload of a placed message. The completion is set
  // afterwards, by set_completion(). False: the network does not accept it now, and nothing has
  // happened.
  bool begin_placed(Operation& operation, const wire::Request& request,
                    std::span<const std::byte> data, transport::PlacementKey key)
      LINTEL_REQUIRES(kLock);
  void set_completion(Operation& operation, Completion&& completion) LINTEL_REQUIRES(kLock);
  // Whether the source of the operation waits for such a CLEAR, which names the operation. Changes
  // nothing.
  static bool may_clear(const Operation& operation, const wire::Clear& message);
  Ended clear(Operation& operation, const wire::Clear& message, std::span<const std::byte> segments)
      LINTEL_REQUIRES(kLock);
  Ended write_ended(transport::Context context, Error error) LINTEL_REQUIRES(kLock);
  // The receiver has acknowledged the data, or refused them (`response_failed`); or it wants none
  // (discarded).
  Ended acknowledged(Operation& operation, bool response_failed) LINTEL_REQUIRES(kLock);
  Ended discarded(Operation& operation) LINTEL_REQUIRES(kLock);

  // ---- The sink
  // Gives `operation` a sink: registers its memory and sends CLEAR. Takes the completion. False:
  // this is not possible, nothing has happened, and the caller keeps the completion.
  bool begin_sink(Operation& operation, const RegionPart& to, std::uint64_t source_token,
                  Completion& completion, const Answer& answer) LINTEL_REQUIRES(kLock);
  // Gives `get` a sink for all that it asks for. Writes the CLEAR to `out` (kMostClearBytes) and
  // returns its size. 0: one CLEAR is not enough, or the memory could not be registered; nothing
  // has happened. `room`: bytes for the CLEAR in the message of the get.
  std::uint32_t clear_ahead(Operation& get, const RegionPart& to, std::size_t room, std::byte* out)
      LINTEL_REQUIRES(kLock);
  // The reply to `get` does not come by the writes for its CLEAR: ends the sink.
  void withdraw_clear(Operation& get) LINTEL_REQUIRES(kLock);
  // The operation whose sink the immediate of a write of `from` names, or null. An immediate counts
  // only for the peer that it was given to, as far as the network tells whose write it was.
  Operation* sink_of(transport::PeerId from, transport::Immediate immediate) LINTEL_REQUIRES(kLock);
  Ended immediate_came(Operation& operation, transport::Immediate immediate) LINTEL_REQUIRES(kLock);
  static bool may_count(const Operation& operation, const wire::Written& message);
  Ended written_came(Operation& operation, const wire::Written& message) LINTEL_REQUIRES(kLock);

  // ---- Both
  // Ends the source and sink of `operation`. True: the END event of a source was not logged before,
  // and now reports the failure. `operation` may have ended when it returns.
  [[gnu::cold]] bool fail(Operation& operation, Failure failure) LINTEL_REQUIRES(kLock);
  // Writes of the operation were posted and have not ended, so the network still reads its memory.
  static bool is_being_read(const Operation& operation);
  // The operation will be ended here: notifies the other side, if that waits for a message that
  // will not come and nothing else notifies it.
  [[gnu::cold]] void notify_ending(const Operation& operation) LINTEL_REQUIRES(kLock);
  // Whether writes wait for room; retry() tries to post them.
  bool waits_for_room() const LINTEL_REQUIRES(kLock) { return !waiting_for_room_.empty(); }
  void retry() LINTEL_REQUIRES(kLock);
  // Of one interface: how many transfers are under way, and how many writes have ended. The latter
  // never decreases.
  std::size_t moving(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return counts_[interface_kind].moving;
  }
  std::uint64_t writes_done(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return counts_[interface_kind].writes_done;
  }

 private:
  TransferSource& make_source(Operation& operation) LINTEL_REQUIRES(kLock);
  TransferSink& make_sink(Operation& operation, const RegionPart& to) LINTEL_REQUIRES(kLock);
  void end_source(Operation& operation) LINTEL_REQUIRES(kLock);
  void end_sink(Operation& operation) LINTEL_REQUIRES(kLock);
  void deregister(Registrations& registered) LINTEL_REQUIRES(kLock);
  bool make_clear(const Operation& operation, TransferSink& sink, std::size_t room,
                  wire::Clear& clear, std::byte* segments) LINTEL_REQUIRES(kLock);
  bool clear_next(const Operation& operation, TransferSink& sink) LINTEL_REQUIRES(kLock);
  Ended finish_sink_if_complete(Operation& operation) LINTEL_REQUIRES(kLock);
  Ended fail_sink(Operation& operation) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void refuse_data(const Operation& operation, Failure failure)
      LINTEL_REQUIRES(kLock);
  Ended start_writing(Operation& operation, const wire::Clear& message,
                      std::span<const std::byte> segments) LINTEL_REQUIRES(kLock);
  bool register_runs(const Operation& operation, std::uint64_t length) LINTEL_REQUIRES(kLock);
  void post_writes(Operation& operation) LINTEL_REQUIRES(kLock);
  Ended writes_finished(Operation& operation) LINTEL_REQUIRES(kLock);
  Ended source_finished(Operation& operation) LINTEL_REQUIRES(kLock);
  Ended close_source(Operation& operation) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] Ended give_up(Operation& operation) LINTEL_REQUIRES(kLock);

  struct TransferCount {
    std::size_t moving = 0;
    std::uint64_t writes_done = 0;
  };

  transport::Transport& transport_;
  Outbox& outbox_;
  Operations& operations_;
  Counters& counters_;
  SlotPool<TransferSource> sources_ LINTEL_GUARDED_BY(kLock);
  SlotPool<TransferSink> sinks_ LINTEL_GUARDED_BY(kLock);
  Immediates immediates_ LINTEL_GUARDED_BY(kLock);  // of sinks_
  // sources whose next write had no room
  WaitingSources waiting_for_room_ LINTEL_GUARDED_BY(kLock);
  std::array<TransferCount, kMaxInterfaces> counts_ LINTEL_GUARDED_BY(kLock){};  // by interface
};

}  // namespace lintel::portals
