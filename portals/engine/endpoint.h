#pragma once
// Endpoint: this process on the network: one transport, the interfaces that take messages, and the
// parts of the engine that talk to peers.
//
// Owned by the Process; owns its transport and its parts. Guarded by the process' lock: every
// member REQUIRES it.
// It dispatches: each message, end of a write and loss of a peer goes to the part that it concerns.
// Invariant: a lost peer has no operation and no waiting message left when on_peer_failed returns.
// Split: endpoint.cpp (interfaces, turns, losses), dispatch.cpp (what arrives), parcels.cpp.
// More than 30 members: six are the transport's Sink, ten the parts and what they share.
// Does not: wait, lock, or ask a clock.

#include <cstdint>
#include <memory>
#include <string>

#include "base/counters.h"
#include "portals/engine/endpoint_options.h"
#include "portals/engine/initiator.h"
#include "portals/engine/target.h"
#include "transport/transport.h"

namespace lintel::portals {

class Endpoint : public transport::Sink {
 public:
  Endpoint(std::unique_ptr<transport::Transport> transport, const EndpointOptions& options,
           Counters& counters);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  // REQUIRES: no interface is attached.
  ~Endpoint() override;

  ProcessId self() const { return transport_->self(); }
  const TransferLimits& limits() const { return limits_; }
  // How users know the network below: "direct", "net", ...
  const std::string& network_name() const { return transport_->attributes().name; }
  Initiator& initiator() { return initiator_; }
  Target& target() { return target_; }
  Peers& peers() { return peers_; }

  // `interface` takes messages from now on. REQUIRES: its kind is free, and it outlives detach().
  void attach(NetworkInterface& interface);
  // Refuses its messages from now on, and ends all that is under way for it with
  // Failure::kShutdown. Peers whose operations it cuts hear of it, unless the end of the session
  // tells them.
  void detach(NetworkInterface& interface);
  // The interface is about to be detached, and what it has sent may leave first. Requests for it
  // that still come are refused as if it were gone, so that peers cannot keep it open. `last`: the
  // endpoint closes with it, and they are dropped without an answer.
  void begin_closing(const NetworkInterface& interface, bool last);
  // No request or reply of it waits to leave, no transfer of it is under way: what was sent may
  // still be on its way to a live peer.
  bool drained(const NetworkInterface& interface) const;
  // Nothing waits to leave, whosever it is.
  bool idle() const { return outbox_.idle(); }
  // Grows while what the interface sends moves.
  std::uint64_t moved(const NetworkInterface& interface) const;

  // An address that messages could be sent to.
  bool reachable(ProcessId process) { return peers_.resolve(process).ok(); }
  // While `watched`, the death of `process` is noticed, if there is a connection, although nothing
  // is under way with it. Calls nest. REQUIRES: reachable().
  void watch(ProcessId process, bool watched);

  // Parcels: puts whose data land where they are expected without being copied on the way
  // (parcels.cpp). Peers may send some from now on.
  void welcome_parcels() { transport_->enable_placement(); }
  // The data of the parcel with that key from `source` are to land in the memory of `entry`. False:
  // that is not possible now, or another entry comes before it for what it is for. It comes all the
  // same, by way of a copy.
  // REQUIRES: only the put that this entry is the match of, and no other of that source, has this
  // key; forget_parcel() before the entry's memory is used otherwise.
  bool expect_parcel(NetworkInterface& interface, SlotId entry, ProcessId source,
                     transport::PlacementKey key);
  // Nothing lands there any more, unless kArriving is returned: then the put follows, or the loss
  // of the peer.
  transport::Withdrawal forget_parcel(ProcessId source);

  // Takes in what has arrived and sends what had no room. Returns the number of things that
  // happened.
  std::size_t poll(TimePoint now) { return turn(transport_->poll(now, *this), now); }
  // The same in two halves: what is sent between them shares frames with the answers to what has
  // arrived. flush() only if something happened.
  std::size_t take_in(TimePoint now) { return turn(transport_->poll_arrivals(now, *this), now); }
  void flush() { transport_->flush(*this); }
  // False: there is something that only poll() can send, or that may have arrived.
  bool prepare_wait() { return transport_->prepare_wait(); }
  int wait_fd() const { return transport_->wait_fd(); }
  // The orderly end of the sessions with all peers, see Transport::close().
  bool close_sessions(TimePoint now) { return transport_->close(now); }
  // poll() again then, at the latest: also for writes that had no room, of which nothing else tells
  // when there is some.
  TimePoint next_deadline() const;

  // transport::Sink
  void on_message(transport::PeerId from, std::span<const std::byte> message) override;
  void on_placed_message(transport::PeerId from, std::span<const std::byte> message,
                         const transport::PlacedPayload& payload) override;
  void on_message_left(transport::PeerId) override {}
  void on_write_done(transport::Context context, Error error) override;
  void on_immediate(transport::Immediate immediate) override;
  void on_peer_failed(transport::PeerId peer, Error error) override;

  // Brings the process' counters of frames up to date.
  void count_frames();
  // Human-readable state of what is under way.
  void dump(std::string& out);

 private:
  std::size_t turn(std::size_t happened, TimePoint now);
  void on_request(transport::PeerId from, wire::MessageKind kind, const wire::Request& request,
                  std::span<const std::byte> payload);
  void on_clear(transport::PeerId from, const wire::Clear& message,
                std::span<const std::byte> segments);
  void on_written(transport::PeerId from, const wire::Written& message);
  [[gnu::cold]] void on_discard(transport::PeerId from, const wire::Discard& message);
  [[gnu::cold]] void drop_foreign(DropCause cause, std::uint64_t bytes);
  [[gnu::cold]] void fail(Operation& operation, Failure failure);
  [[gnu::cold]] void fail_peer(transport::PeerId peer, Failure failure);
  [[gnu::cold]] void close_unsent(std::vector<Outbox::Unsent> unsent, Failure failure);

  std::unique_ptr<transport::Transport> transport_;
  Counters& counters_;
  TransferLimits limits_;
  InterfaceTable interfaces_;
  Peers peers_;
  Outbox outbox_;
  Operations operations_;
  Transfers transfers_;
  Initiator initiator_;
  Target target_;
  TimePoint last_poll_;
  bool ending_ = false;  // the last interface is closing
};

}  // namespace lintel::portals
