#pragma once
// Endpoint: this process on the network: one transport, the interfaces that accept messages, and
// the parts of the engine that exchange messages with peers.
//
// Owned by the Process; owns its transport and its parts. Every member REQUIRES the process' lock.
// It passes each message, end of a write and loss of a peer to the part that handles it, and gives
// up a peer for whose message there is no memory.
// Invariant: when on_peer_failed returns, no operation with that peer and no message to it is left.
// More than 30 members: six are functions of transport::Sink, ten the parts and what they share.
// Does not: wait, lock, or read a clock. Arrivals are in endpoint_dispatch.cpp.

#include <cstdint>
#include <memory>
#include <string>

#include "base/counters.h"
#include "base/process_lock.h"
#include "portals/engine/protocol/closing.h"
#include "portals/engine/protocol/endpoint_options.h"
#include "portals/engine/protocol/placed_messages.h"
#include "portals/engine/protocol/target.h"
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
  // The name of the network for users: "direct", "net", ...
  const std::string& network_name() const { return transport_->attributes().name; }
  Initiator& initiator() LINTEL_REQUIRES(kLock) { return initiator_; }
  Target& target() LINTEL_REQUIRES(kLock) { return target_; }
  Peers& peers() LINTEL_REQUIRES(kLock) { return peers_; }
  PlacedMessages& placed_messages() LINTEL_REQUIRES(kLock) { return placed_messages_; }
  Closing& closing() LINTEL_REQUIRES(kLock) { return closing_; }

  // `interface` gets messages from now on. REQUIRES: its kind is free; it lives until detach().
  void attach(NetworkInterface& interface) LINTEL_REQUIRES(kLock);
  // Refuses messages for it from now on, and ends its operations with Failure::kShutdown. Peers
  // whose operations end by this are notified, unless the end of the session notifies them.
  void detach(NetworkInterface& interface) LINTEL_REQUIRES(kLock);
  // No message of any interface waits to leave.
  bool idle() const LINTEL_REQUIRES(kLock) { return outbox_.idle(); }

  // Receives what has arrived, sends what had no room. Returns the number of things that happened.
  std::size_t poll(TimePoint now) LINTEL_REQUIRES(kLock);
  // The same in two halves. What is sent between them shares frames with the answers to arrivals.
  std::size_t poll_arrivals(TimePoint now) LINTEL_REQUIRES(kLock);
  void flush() LINTEL_REQUIRES(kLock) { transport_->flush(*this); }  // if something happened
  // False: poll() has something to send, or something may have arrived.
  bool prepare_wait() LINTEL_REQUIRES(kLock) { return transport_->prepare_wait(); }
  int wait_fd() const LINTEL_REQUIRES(kLock) { return transport_->wait_fd(); }
  // The latest time of the next poll(). Early while something waits that no event reports.
  TimePoint next_deadline() const LINTEL_REQUIRES(kLock);

  void on_message(transport::PeerId from, std::span<const std::byte> message) override
      LINTEL_REQUIRES(kLock);
  void on_placed_message(transport::PeerId from, std::span<const std::byte> message,
                         const transport::PlacedPayload& payload) override LINTEL_REQUIRES(kLock);
  void on_message_left(transport::PeerId) override LINTEL_REQUIRES(kLock) {}
  void on_write_done(transport::Context context, Error error) override LINTEL_REQUIRES(kLock);
  void on_immediate(transport::PeerId from, transport::Immediate immediate) override
      LINTEL_REQUIRES(kLock);
  void on_peer_failed(transport::PeerId peer, Error error) override LINTEL_REQUIRES(kLock);
  void on_peer_forgotten(transport::PeerId p) override LINTEL_REQUIRES(kLock) { peers_.forget(p); }

  // Ends the session with a process that does not read the `messages` that it has caused. These
  // wait above the engine. REQUIRES: no poll is under way.
  [[gnu::cold]] void give_up_reader(ProcessId process, std::size_t messages) LINTEL_REQUIRES(kLock);

  // Copies the transport's counters of frames to the process' counters.
  void count_frames() LINTEL_REQUIRES(kLock);
  // Appends the state of what is under way, for people.
  void dump(std::string& out) LINTEL_REQUIRES(kLock);

 private:
  std::size_t turn(std::size_t happened, TimePoint now) LINTEL_REQUIRES(kLock);
  std::size_t retry_outbox() LINTEL_REQUIRES(kLock);
  template <class Handle>
  void with_memory(transport::PeerId from, Handle&& handle) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void no_memory_for(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void give_up_overdrawn(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  void give_up(transport::PeerId peer, Counter counter, Error error) LINTEL_REQUIRES(kLock);
  void dispatch(transport::PeerId from, std::span<const std::byte> message) LINTEL_REQUIRES(kLock);
  void on_request(transport::PeerId from, wire::MessageKind kind, const wire::Request& request,
                  std::span<const std::byte> payload) LINTEL_REQUIRES(kLock);
  void on_clear(transport::PeerId from, const wire::Clear& message,
                std::span<const std::byte> segments) LINTEL_REQUIRES(kLock);
  void on_written(transport::PeerId from, const wire::Written& message) LINTEL_REQUIRES(kLock);
  void on_discard(transport::PeerId from, std::uint64_t token) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void drop_foreign(DropCause cause, std::uint64_t bytes) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void fail(Operation& operation, Failure failure) LINTEL_REQUIRES(kLock);

  std::unique_ptr<transport::Transport> transport_;
  Counters& counters_;
  TransferLimits limits_;
  InterfaceTable interfaces_ LINTEL_GUARDED_BY(kLock);
  Peers peers_ LINTEL_GUARDED_BY(kLock);
  PlacedMessages placed_messages_ LINTEL_GUARDED_BY(kLock);
  Operations operations_ LINTEL_GUARDED_BY(kLock);
  Outbox outbox_ LINTEL_GUARDED_BY(kLock);
  Transfers transfers_ LINTEL_GUARDED_BY(kLock);
  Initiator initiator_ LINTEL_GUARDED_BY(kLock);
  Target target_ LINTEL_GUARDED_BY(kLock);
  Closing closing_ LINTEL_GUARDED_BY(kLock);
  TimePoint last_poll_ LINTEL_GUARDED_BY(kLock);
  bool retry_due_ LINTEL_GUARDED_BY(kLock) = false;  // the Outbox has found no memory
  // given up in this turn; what is left of its frame that is being read is ignored
  transport::PeerId given_up_ LINTEL_GUARDED_BY(kLock) = transport::kNoPeer;
};

}  // namespace lintel::portals
