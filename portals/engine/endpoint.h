#pragma once
// Endpoint: this process on the network: one transport, the peers, and everything that is under way with them.
//
// Owned by the Process; owns its transport. Guarded by the Process' lock: every member REQUIRES it.
// Invariants: (1) every Operation is in its peer's list; (2) a peer is watched exactly while it has operations, so that its death ends them;
//             (3) a lost peer has no operation and no waiting message left when on_peer_failed returns.
// Split by event: endpoint.cpp (peers, failure), dispatch.cpp (arriving messages), initiator.cpp (requests, ACK, REPLY), target_*.cpp (requests that
// arrive), transfer.cpp (data that move by writes), triggered.cpp (operations that counting events set off).
// Does not: wait, lock, or ask a clock.

#include <algorithm>
#include <array>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/counters.h"
#include "base/slot_pool.h"
#include "portals/engine/network_interface.h"
#include "portals/engine/operation.h"
#include "portals/engine/outbox.h"
#include "portals/engine/wire_codec.h"
#include "transport/transport.h"

namespace lintel::portals {

inline constexpr std::size_t kMaxInterfaces = wire::kHighestInterfaceKind + 1;  // Portals 3's, Portals 4's four kinds, the MPI layer's

// Transfers name their receiver in 31 bits of a write's immediate: 19 for the slot, 12 for the generation.
inline constexpr std::size_t kMaxOperationLimit = std::size_t{1} << 19;  // of both sorts together, see EndpointOptions

struct EndpointOptions {
  std::size_t eager_limit = 65536;     // data up to this many bytes go with their message; more are written directly into place
  std::size_t max_operations = 65536;  // requests that may be under way at once, of this process and, apart, of others
};

class Endpoint : public transport::Sink {
 public:
  Endpoint(std::unique_ptr<transport::Transport> transport, const EndpointOptions& options, Counters& counters);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  // REQUIRES: no interface is attached.
  ~Endpoint() override;

  ProcessId self() const { return transport_->self(); }
  // Data up to this many bytes go with their message: they are copied in the call, and land in the order of the calls.
  std::size_t eager_limit() const { return eager_limit_; }
  // The longest data of an atomic operation: they go with their message, also above the eager limit if that is very small.
  std::size_t atomic_limit() const { return atomic_limit_; }
  // How users know the network below: "direct", "net", ...
  const std::string& network_name() const { return transport_->attributes().name; }

  // `interface` takes messages from now on. REQUIRES: its kind is free, and it outlives detach().
  void attach(NetworkInterface& interface);
  // Refuses its messages from now on, and ends all that is under way for it with Failure::kShutdown. Peers whose operations it cuts hear of it, unless the
  // end of the session tells them.
  void detach(NetworkInterface& interface);
  // The interface is about to be detached, and what it has sent may leave first. Requests for it that still come are refused as if it were gone, so that
  // peers cannot keep it open. `last`: the endpoint closes with it, and they are dropped without an answer.
  void begin_closing(const NetworkInterface& interface, bool last);
  // No request or reply of it waits to leave, no transfer of it is under way: what was sent may still be on its way to a live peer.
  bool drained(const NetworkInterface& interface) const;
  // Nothing waits to leave, whosever it is.
  bool idle() const { return outbox_.idle(); }
  // Grows while what the interface sends moves.
  std::uint64_t moved(const NetworkInterface& interface) const;

  // ---- Initiator (clause 3.13). Errors: kDescriptorInvalid, kDescriptorIllegal, kProcessInvalid, kNoSpace (of has_room()); nothing has happened then.
  Status put(NetworkInterface& interface, const RequestArguments& arguments);
  Status get(NetworkInterface& interface, const RequestArguments& arguments);
  // `arguments.descriptor` is the put's; the reply goes to `arguments.get_descriptor`.
  Status get_put(NetworkInterface& interface, const RequestArguments& arguments);
  // The operation whose request is of that kind, by the rules of the interface's API.
  Status start(NetworkInterface& interface, wire::MessageKind kind, const RequestArguments& arguments);
  // The request of a triggered operation. REQUIRES: an operation on the network.
  static wire::MessageKind message_kind(TriggeredOperation::Kind kind);
  // The same once `counter` has reached `threshold`; it may have. What is wrong with the operation is found now. Errors: also kCounterInvalid.
  Status start_when(NetworkInterface& interface, TriggeredOperation::Kind kind, const RequestArguments& arguments, SlotId counter,
                    std::uint64_t threshold);
  // Carries out what has become due, on every interface. After each call and poll that may have changed a counting event. True: one found no room. It stays
  // the next of its interface: call again after each poll.
  bool carry_out_triggered();

  // Room for one more operation: max_operations of this process are not under way, and no more messages than that wait for room in the transport.
  bool has_room() const { return own_operations_ < max_operations_ && outbox_.waiting() < max_operations_; }
  // Someone who waits for room to send `peer` a request. From add_waiter() to remove_waiter() the loss of the peer is noticed.
  struct Waiter : boost::intrusive::list_base_hook<> {
    transport::PeerId peer = transport::kNoPeer;
    bool peer_lost = false;
    bool endpoint_gone = false;  // it is in no list any more
  };
  // Errors: kProcessInvalid.
  Status add_waiter(Waiter& waiter, ProcessId process);
  void remove_waiter(Waiter& waiter);
  // The operation that start() has had no room for, and whose peer is lost, ends at once, with the events and counts of that. Errors: as start().
  Status fail_unstarted(NetworkInterface& interface, wire::MessageKind kind, const RequestArguments& arguments);
  // A put of no bytes arrives at `interface` as if `initiator` had sent it, who need not be on the network: nothing goes back. False: it was refused, for want
  // of room. REQUIRES: `portal_index` is allocated, and takes messages.
  bool deliver(NetworkInterface& interface, ProcessId initiator, std::uint32_t portal_index, std::uint64_t match_bits,
               std::uint64_t remote_offset, std::uint64_t header_data);

  // Parcels: puts whose data land where they are expected without being copied on the way (parcels.cpp).
  // The longest data; 0: this network has no parcels.
  std::size_t parcel_limit() const { return transport_->attributes().max_placed_bytes; }
  // A put of one contiguous piece of memory, whose SEND_END says that it is no longer needed. Errors: as put(); kNoSpace also where it cannot leave at once. The
  // receiver is to have welcomed parcels. REQUIRES: no acknowledgement is wanted.
  Status put_parcel(NetworkInterface& interface, const RequestArguments& arguments, transport::PlacementKey key);
  // Peers may send some from now on.
  void welcome_parcels() { transport_->enable_placement(); }
  // The data of the parcel with that key from `source` are to land in the memory of `entry`. False: that is not possible now, or another entry comes before
  // it for what it is for. It comes all the same, by way of a copy.
  // REQUIRES: only the put that this entry is the match of, and no other of that source, has this key; forget_parcel() before the entry's memory is used otherwise.
  bool expect_parcel(NetworkInterface& interface, SlotId entry, ProcessId source, transport::PlacementKey key);
  // Nothing lands there any more, unless kArriving is returned: then the put follows, or the loss of the peer.
  transport::Withdrawal forget_parcel(ProcessId source);

  // An address that messages could be sent to.
  bool reachable(ProcessId process) { return resolve(process).ok(); }
  // While `watched`, the death of `process` is noticed, if there is a connection, although nothing is under way with it. Calls nest. REQUIRES: reachable().
  void watch(ProcessId process, bool watched);

  // Takes in what has arrived and sends what had no room. Returns the number of things that happened.
  std::size_t poll(TimePoint now) { return turn(transport_->poll(now, *this), now); }
  // The same in two halves: what is sent between them shares frames with the answers to what has arrived. flush() only if something happened.
  std::size_t take_in(TimePoint now) { return turn(transport_->poll_arrivals(now, *this), now); }
  void flush() { transport_->flush(*this); }

  // False: there is something that only poll() can send, or that may have arrived.
  bool prepare_wait() { return transport_->prepare_wait(); }
  int wait_fd() const { return transport_->wait_fd(); }
  // The orderly end of the sessions with all peers, see Transport::close().
  bool close_sessions(TimePoint now) { return transport_->close(now); }
  // poll() again then, at the latest: also for writes that had no room, of which nothing else tells when there is some.
  TimePoint next_deadline() const;

  // transport::Sink
  void on_message(transport::PeerId from, std::span<const std::byte> message) override;
  void on_placed_message(transport::PeerId from, std::span<const std::byte> message, const transport::PlacedPayload& payload) override;
  void on_message_left(transport::PeerId to) override;
  void on_write_done(transport::Context context, Error error) override;
  void on_immediate(transport::Immediate immediate) override;
  void on_peer_failed(transport::PeerId peer, Error error) override;

  // Brings the process' counters of frames up to date.
  void count_frames();
  // Human-readable state of what is under way.
  void dump(std::string& out);

 private:
  using PeerHook = boost::intrusive::member_hook<Operation, boost::intrusive::list_member_hook<>, &Operation::peer_link>;
  using OperationList = boost::intrusive::list<Operation, PeerHook>;
  struct Peer {
    OperationList operations;
    bool told_lost = false;  // in the log, since it was last heard
  };

  // ---- endpoint.cpp
  std::size_t turn(std::size_t happened, TimePoint now);
  Result<transport::PeerId> resolve(ProcessId process);
  Peer& peer_state(transport::PeerId peer);
  Operation* create_operation(Operation::Role role, transport::PeerId peer, std::uint8_t interface_kind);
  void destroy_operation(Operation& operation);
  Operation* operation(std::uint64_t token, transport::PeerId peer);
  NetworkInterface* interface_of(const Operation& operation) { return interfaces_[operation.interface_kind]; }
  void close_completion(Operation& record, Failure failure);
  [[gnu::cold]] void fail_operation(Operation& operation, Failure failure);
  [[gnu::cold]] void tell_cut(const Operation& operation);
  void begin_moving(Operation& operation);
  void end_moving(Operation& operation);
  [[gnu::cold]] void fail_peer(transport::PeerId peer, Failure failure);
  [[gnu::cold]] void tell_lost(transport::PeerId peer);
  [[gnu::cold]] void heard_again(transport::PeerId peer);

  // ---- dispatch.cpp
  [[gnu::cold]] void drop_foreign(DropCause cause, std::uint64_t bytes);
  [[gnu::cold]] void refuse_request(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, DropCause cause,
                                    Failure failure);
  [[gnu::cold]] void answer_refused(transport::PeerId from, const wire::Request& request, Failure failure, const Identity& self);
  void let_go(transport::PeerId from, const wire::Request& request);
  [[gnu::cold]] void discard(transport::PeerId to, std::uint64_t token);
  void on_request(transport::PeerId from, wire::MessageKind kind, const wire::Request& request, std::span<const std::byte> payload);
  [[gnu::cold]] void on_discard(transport::PeerId from, const wire::Discard& message);

  // ---- initiator.cpp
  struct Prepared {
    MemoryDescriptor* descriptor;
    transport::PeerId peer;
    std::uint64_t length;
  };
  Status prepare(NetworkInterface& interface, const RequestArguments& arguments, Prepared& prepared);
  Status send_put(NetworkInterface& interface, const RequestArguments& arguments, const Prepared& prepared, wire::MessageKind kind);
  Status send_get(NetworkInterface& interface, const RequestArguments& arguments, const Prepared& prepared);
  Status send_fetch(NetworkInterface& interface, const RequestArguments& arguments, const Prepared& prepared, wire::MessageKind kind);
  wire::Request make_request(const NetworkInterface& interface, wire::MessageKind kind, const RequestArguments& arguments,
                             std::uint64_t length) const;
  static void describe_send(const NetworkInterface& interface, const wire::Request& request, void* user_pointer, Event& event);
  Completion open_send(NetworkInterface& interface, MemoryDescriptor& descriptor, const wire::Request& request, void* user_pointer);
  static bool is_told(const MemoryDescriptor& descriptor, AckRequest ack);
  void expect_answer(Operation& operation, const wire::Request& request, const RequestArguments& arguments);
  bool carry_out(NetworkInterface& interface, const TriggeredOperation& operation);
  Status check(NetworkInterface& interface, wire::MessageKind kind, const RequestArguments& arguments, Prepared& prepared);
  [[gnu::cold]] void fail_to_start(NetworkInterface& interface, wire::MessageKind kind, const RequestArguments& arguments,
                                   std::uint64_t length, Failure failure);
  void on_ack(transport::PeerId from, const wire::Response& response);
  void on_reply(transport::PeerId from, const wire::Response& response, std::span<const std::byte> payload);
  void log_ack(Operation& operation, const wire::Response& response, Failure failure, bool count_only = false);
  [[gnu::cold]] void log_no_ack(Operation& operation, Failure failure, bool told_by_send);
  void log_reply(Operation& operation, std::uint64_t length, Failure failure);
  void finish_source(Operation& operation);

  // ---- target_match.cpp, target_put.cpp, target_get.cpp
  // Replies up to this many bytes carry their data, as they are when the request comes: programs are promised that order. The MPI layer needs none, and longer
  // data are faster without the copies.
  std::size_t reply_limit(std::uint8_t kind) const {
    return kind == wire::kMpiKind ? std::min(eager_limit_, kMpiReplyLimit) : eager_limit_;
  }
  struct Match {
    MemoryDescriptor* descriptor;
    MemoryDescriptor::Acceptance acceptance;
    PortalList list;
  };
  // `needed`: what the descriptor must allow. `element`: the length taken is a multiple of this.
  std::optional<Match> match(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, std::uint32_t needed,
                             std::size_t element = 1);
  static void describe(const NetworkInterface& interface, const Match& matched, const wire::Request& request, EventKind end, Event& event);
  // The operation begins at its target: START event, accounts of the portal.
  Completion open_target(NetworkInterface& interface, const Match& matched, const wire::Request& request, EventKind start, EventKind end);
  static wire::Response echo(wire::MessageKind kind, const wire::Request& request, const Identity& self);
  wire::Response make_response(const NetworkInterface& interface, wire::MessageKind kind, const wire::Request& request,
                               const Match& matched) const;
  void acknowledge(const NetworkInterface& interface, transport::PeerId from, const wire::Request& request, const Match& matched,
                   bool wanted);
  void on_put(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, std::span<const std::byte> payload);
  void take_payload(const Match& matched, std::span<const std::byte> payload);
  void on_get(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, std::span<const std::byte> clear);
  void on_atomic(NetworkInterface& interface, transport::PeerId from, const wire::Request& request, std::span<const std::byte> payload);
  void on_fetch(NetworkInterface& interface, transport::PeerId from, wire::MessageKind kind, const wire::Request& request,
                std::span<const std::byte> payload);

  // ---- parcels.cpp
  bool send_parcel(Operation& record, const wire::Request& request, std::span<const std::byte> data, transport::PlacementKey key);

  // ---- transfer.cpp
  struct Landing {
    const MemoryRegion* region;
    std::uint64_t offset;
    std::uint64_t length;
    std::uint64_t source_token;
  };
  // Makes `sink` (role kSink, completion set) receive by writes. False: it could not be started, and is left for the caller to fail.
  bool receive(Operation& sink, const Landing& landing);
  bool clear_next(Operation& sink);
  bool make_clear(Operation& sink, std::size_t room, wire::Clear& clear, std::byte* segments);
  static constexpr std::size_t kMostSegments = 64;  // of a CLEAR, so that it fits into a message everywhere and pins little at a time
  static constexpr std::size_t kMostClearBytes = sizeof(wire::Clear) + kMostSegments * sizeof(wire::Segment);
  // Makes `get` a sink of all that it asks for: builds the CLEAR for it in `out` (kMostClearBytes) and returns its size. 0: one CLEAR does not do, or the
  // memory could not be registered, and nothing has happened.
  std::uint32_t clear_ahead(Operation& get, const Landing& landing, std::byte* out);
  void withdraw_clear(Operation& get);
  void on_clear(transport::PeerId from, const wire::Clear& message, std::span<const std::byte> segments);
  void start_writing(Operation& source, const wire::Clear& message, std::span<const std::byte> segments);
  bool plan_writes(Operation& source, const wire::Clear& message, std::span<const std::byte> segments);
  void post_writes(Operation& source);
  void writes_finished(Operation& source);
  void source_finished(Operation& source);
  [[gnu::cold]] void receiver_gave_up(Operation& source);
  [[gnu::cold]] void refuse_data(const Operation& sink, Failure failure);
  void on_written(transport::PeerId from, const wire::Written& message);
  void finish_sink_if_complete(Operation& sink);
  void release_memory(Operation& operation);

  std::unique_ptr<transport::Transport> transport_;
  static constexpr std::size_t kMpiReplyLimit = 16384;
  static constexpr std::size_t kLeastAtomicLimit = 1024;
  std::size_t eager_limit_;
  std::size_t atomic_limit_;
  Counters& counters_;
  Outbox outbox_;
  std::size_t max_operations_;
  SlotPool<Operation> operations_;
  std::size_t own_operations_ = 0;  // of them
  boost::intrusive::list<Waiter> waiters_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::size_t told_lost_ = 0;  // peers that are
  std::array<NetworkInterface*, kMaxInterfaces> interfaces_{};
  ProcessId last_resolved_;  // programs talk to one peer many times in a row
  transport::PeerId last_peer_ = transport::kNoPeer;
  std::vector<std::byte> fetched_;        // what a fetch, a swap or a getput has found, for the reply; as long as the longest so far
  std::vector<SlotId> waiting_for_room_;  // sources whose next write had no room
  TimePoint last_poll_;
  struct Traffic {
    bool closing = false;
    std::size_t moving = 0;   // operations between begin_moving() and end_moving()
    std::uint64_t fired = 0;  // triggered operations that have begun
    std::uint64_t writes_done = 0;
  };
  std::array<Traffic, kMaxInterfaces> traffic_{};  // by interface
  bool ending_ = false;                            // the last interface is closing
};

}  // namespace lintel::portals
