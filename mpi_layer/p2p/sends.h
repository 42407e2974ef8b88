#pragma once
// Sends: the protocols of sends. It chooses the protocol of each message, and keeps the sends that
// wait for credit or room, and those under way.
//
//   message                               is sent as
//   up to the eager limit, not            DATA: a put of all bytes; complete when the engine has
//   synchronous                           accepted it. For the exception see part_ahead()
//   long answer, not synchronous, to a    DATA by eager direct placement; complete when the
//   receiver that accepts placement       transport has taken all of it
//   up to the eager limit, synchronous    DATASYNC: a put with an acknowledgement; complete if that
//                                         says that a receive was posted, else at SYNCACK
//   longer, or without credit for it      DATASYNC: a put of the first part, or without data. The
//                                         rest is an entry of its own, from which the receiver gets
//                                         it. Complete when it has, or at SYNCACK if it needs no
//                                         rest. The acknowledgement only reports a refusal
//
// Owned by the messenger; the process' lock guards it. Borrows the parts that it is given. Its
// record of a peer is Peer::sends.
// Invariants: (1) a send that is under way is in its peer's list `backlog` or `under_way`;
// (2) messages to a peer leave in the order of their starts.
// Does not: make progress. Its user makes a turn before it starts a send for which wants_turn() is
// true.
// More than 30 members: there is one for each way in which a send may end.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "mpi_layer/p2p/call_error.h"
#include "mpi_layer/p2p/shared_parts.h"

namespace lintel::mpi {

class Sends {
 public:
  explicit Sends(const SharedParts& parts);
  Sends(const Sends&) = delete;
  Sends& operator=(const Sends&) = delete;

  // Call it once, before the first message.
  void set_eager_limit(std::uint64_t limit) LINTEL_REQUIRES(kLock) { eager_limit_ = limit; }
  // A peer was added. `peers`: the number of peers now.
  void reserve(std::size_t peers) LINTEL_REQUIRES(kLock) { blocked_.reserve(peers); }

  // Sets up an inactive request. Errors: kRequest, kProcess, kContext, kTag, kLength.
  CallError set_up(const SendArguments& arguments, SendRequest& request, bool persistent)
      LINTEL_REQUIRES(kLock);
  // True if the send would have to wait now. A turn of progress may bring credit or room.
  bool wants_turn(const SendRequest& request) LINTEL_REQUIRES(kLock);
  // Starts an inactive request that is set up. Errors: kNoMemory.
  CallError begin(SendRequest& request) LINTEL_REQUIRES(kLock);
  // Messenger::send_at_once().
  bool send_at_once(const SendArguments& arguments) LINTEL_REQUIRES(kLock);
  // Starts a send of the gateway's own, to a process of this job.
  void relay(const SendArguments& arguments, SendRequest& request) LINTEL_REQUIRES(kLock);
  // It left by eager direct placement, and the transport has not taken all of it yet.
  static bool is_being_placed(const SendRequest& request) {
    return request.under_way() && request.placed_;
  }

  // ---- What ends sends
  void on_ack(const portals::Event& event) LINTEL_REQUIRES(kLock);
  void on_rest_pulled(const portals::Event& event) LINTEL_REQUIRES(kLock);
  void on_placed(const portals::Event& event) LINTEL_REQUIRES(kLock);
  // SYNCACK, CANCELYES, CANCELNO.
  void on_answer(const Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  void end_outside(SendRequest& request, RequestFailure failure, bool cancelled)
      LINTEL_REQUIRES(kLock);
  static void refuse_cancel(SendRequest& request) { request.cancelling_ = false; }
  // Cancels it if possible. True: this process is the receiver too, and decides in its next turns.
  bool cancel(SendRequest& request) LINTEL_REQUIRES(kLock);
  static bool is_cancelling(const SendRequest& request) {
    return request.under_way() && request.cancelling_;
  }
  void end_lost(Peer& peer) LINTEL_REQUIRES(kLock);
  // Ends all sends, because the interface is closed. The engine does not use their memory any more.
  void end_all() LINTEL_REQUIRES(kLock);

  // Sends waiting messages, as far as credit and room allow.
  void retry() LINTEL_REQUIRES(kLock);
  // No send waits for an answer or to leave.
  bool idle() const LINTEL_REQUIRES(kLock) {
    return active_.size() == 0 && !has_deferred_work() && copied_.empty();
  }
  bool has_deferred_work() const LINTEL_REQUIRES(kLock) {
    return !blocked_.empty() || copied_ended_;
  }

 private:
  // The arguments of put() for one message.
  struct Departure {
    const std::byte* buffer;
    std::uint64_t match_bits;
    std::uint64_t sequence;
    DataHeader header;
    std::uint64_t ahead;
    bool ack = false;
    SlotId active_id{};
  };
  // The send of the library's copy of a buffered send.
  struct Copied {
    std::unique_ptr<std::byte[]> bytes;
    SendRequest request;
  };

  static void set_arguments(const SendArguments& arguments, SendRequest& request);
  static void mark_started(SendRequest& request);
  CallError begin_buffered(SendRequest& request) LINTEL_REQUIRES(kLock);
  void start(SendRequest& request) LINTEL_REQUIRES(kLock);
  void start_outside(Peer& peer, SendRequest& request) LINTEL_REQUIRES(kLock);
  void leave_or_queue(Peer& peer, SendRequest& request) LINTEL_REQUIRES(kLock);
  std::uint64_t part_ahead(const Peer& peer, std::uint64_t length) const LINTEL_REQUIRES(kLock);
  bool goes_whole(const Peer& peer, std::uint64_t length) const LINTEL_REQUIRES(kLock);
  bool goes_placed(const Peer& peer, std::uint64_t length, std::uint32_t context) const
      LINTEL_REQUIRES(kLock);
  bool try_send(Peer& peer, SendRequest& request) LINTEL_REQUIRES(kLock);
  bool try_place(Peer& peer, SendRequest& request) LINTEL_REQUIRES(kLock);
  portals::RequestArguments put_of(const Peer& peer, const Departure& message) const
      LINTEL_REQUIRES(kLock);
  portals::Status put(const Peer& peer, const Departure& message) LINTEL_REQUIRES(kLock);
  portals::Status expose_rest(const Peer& peer, SendRequest& request, std::uint64_t ahead)
      LINTEL_REQUIRES(kLock);
  bool withdraw_rest(SendRequest& request) LINTEL_REQUIRES(kLock);
  void charge(Peer& peer, std::uint64_t ahead) LINTEL_REQUIRES(kLock);
  void has_left(Peer& peer, SendRequest& request) LINTEL_REQUIRES(kLock);
  SendRequest* active(const Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  void end(SendRequest& request, RequestFailure failure) LINTEL_REQUIRES(kLock);
  void complete(SendRequest& request, RequestFailure failure) LINTEL_REQUIRES(kLock);
  void end_lost(SendList& sends) LINTEL_REQUIRES(kLock);

  const SharedParts parts_;
  std::uint64_t eager_limit_ LINTEL_GUARDED_BY(kLock) = 0;
  SlotPool<SendRequest*> active_
      LINTEL_GUARDED_BY(kLock);  // those that wait for an answer, by request id
  std::vector<Peer*> blocked_ LINTEL_GUARDED_BY(kLock);  // peers with a backlog
  std::vector<std::unique_ptr<Copied>> copied_ LINTEL_GUARDED_BY(kLock);
  bool copied_ended_ LINTEL_GUARDED_BY(kLock) = false;  // one of copied_ has ended
};

}  // namespace lintel::mpi
