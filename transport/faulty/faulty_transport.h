#pragma once
// FaultyTransport: injects the faults of a FaultPlan into another transport. The same seed and the
// same calls give the same faults.
//
// Owns the wrapped transport. Thread: see Transport.
// Invariants: (1) messages to one peer keep their order, delayed or not; (2) each fault is one that
// real networks have, and what is reported to the sink stays within the contract of Transport; (3)
// an empty plan changes nothing.
// Does not: stop messages of a dead peer if the wrapped transport does not know their source, or
// stop its writes.
// More than 30 members: 30 are functions of Transport, and 7 of Sink.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "base/owner_lock.h"
#include "transport/faulty/fault_plan.h"
#include "transport/faulty/queued_reports.h"
#include "transport/transport.h"

namespace lintel::transport {

struct FaultCounters {
  std::uint64_t dropped = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t delayed = 0;
  std::uint64_t blocked = 0;  // calls
  std::uint64_t write_errors = 0;
  std::uint64_t post_failures = 0;
  std::uint64_t discarded = 0;  // messages and writes to or from the dead peer
  std::uint64_t resets = 0;
};

class FaultyTransport final : public Transport, private Sink {
 public:
  FaultyTransport(std::unique_ptr<Transport> wrapped, const FaultPlan& plan);
  FaultyTransport(const FaultyTransport&) = delete;
  FaultyTransport& operator=(const FaultyTransport&) = delete;
  ~FaultyTransport() override = default;

  const TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return wrapped_->self(); }
  Result<PeerId> resolve(ProcessId name) override {
    lock_.is_held();
    return wrapped_->resolve(name);
  }
  ProcessId name_of(PeerId peer) const override {
    lock_.is_held();
    return wrapped_->name_of(peer);
  }
  bool reach(PeerId peer) override {
    lock_.is_held();
    return wrapped_->reach(peer);
  }
  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override {
    lock_.is_held();
    wrapped_->abandon(peer, buffer);
  }
  void disconnect(PeerId peer) override;
  Result<Registration> register_memory(PeerId peer, std::span<std::byte> memory,
                                       Access access) override {
    return wrapped_->register_memory(peer, memory, access);
  }
  void deregister_memory(const Registration& region) override {
    lock_.is_held();
    wrapped_->deregister_memory(region);
  }
  PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context) override;
  // Placed messages pass unless there are faults of single messages, which would have to be theirs.
  void enable_placement() override {
    lock_.is_held();
    wrapped_->enable_placement();
  }
  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                           std::span<const std::byte> payload, PlacementKey key,
                           Context context) override;
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override {
    lock_.is_held();
    return wrapped_->expect_placement(peer, key, memory);
  }
  Withdrawal withdraw_placement(PeerId peer) override {
    lock_.is_held();
    return wrapped_->withdraw_placement(peer);
  }
  void interrupt(PeerId peer) override {
    lock_.is_held();
    wrapped_->interrupt(peer);
  }
  void interrupt_if_silent(PeerId peer) override {
    lock_.is_held();
    wrapped_->interrupt_if_silent(peer);
  }
  FrameCounts frame_counts() const override {
    lock_.is_held();
    return wrapped_->frame_counts();
  }
  std::string describe(PeerId peer) const override {
    lock_.is_held();
    return wrapped_->describe(peer);
  }
  ConnectionBinding binding(PeerId peer) const override {
    lock_.is_held();
    return wrapped_->binding(peer);
  }
  void allow_resumption(PeerId peer, const ResumptionKey& key) override {
    lock_.is_held();
    wrapped_->allow_resumption(peer, key);
  }
  void admit(PeerId peer, const ResumptionKey& key) override {
    lock_.is_held();
    wrapped_->admit(peer, key);
  }
  // The id stays, because what is delayed for the peer is kept by its id.
  void forget(PeerId) override {}
  void watch(PeerId peer, bool watched) override {
    lock_.is_held();
    wrapped_->watch(peer, watched);
  }
  std::size_t poll(TimePoint now, Sink& sink) override;
  bool close(TimePoint now) override;
  void dump(std::string& out) const override {
    lock_.is_held();
    wrapped_->dump(out);
  }
  TimePoint next_deadline() const override;
  int wait_fd() const override { return wrapped_->wait_fd(); }
  bool prepare_wait() override {
    lock_.is_held();
    return reports_.empty() && wrapped_->prepare_wait();
  }

  FaultCounters counters() const {
    lock_.is_held();
    return counters_;
  }

 private:
  struct Delayed {
    TimePoint due;
    std::vector<std::byte> bytes;
  };
  struct FaultyPeer {
    std::deque<Delayed> delayed;
    std::vector<Context> discarded;  // writes that do not end while the peer is silent
    std::uint64_t messages = 0;      // committed to it
    std::uint32_t copies_left = 0;   // reports of copies that the owner did not commit
    bool dead = false;
  };

  void on_message(PeerId from, std::span<const std::byte> message) override;
  void on_placed_message(PeerId from, std::span<const std::byte> message,
                         const PlacedPayload& payload) override;
  void on_message_left(PeerId to) override;
  void on_write_done(Context context, Error error) override;
  void on_immediate(PeerId from, Immediate immediate) override;
  void on_contested(PeerId peer) override;
  void on_peer_failed(PeerId peer, Error error) override;

  FaultyPeer& at(PeerId peer) LINTEL_REQUIRES(lock_);
  bool happens(double probability) LINTEL_REQUIRES(lock_) {
    return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
  }
  bool has_no_room() LINTEL_REQUIRES(lock_);
  PostStatus sent(PeerId to, PostStatus status) LINTEL_REQUIRES(lock_);
  bool dies(PeerId id, FaultyPeer& peer) LINTEL_REQUIRES(lock_);
  bool is_dead(PeerId peer) const LINTEL_REQUIRES(lock_) {
    return peer.value < peers_.size() && peers_[peer.value].dead;
  }
  bool send_copy(PeerId to, std::span<const std::byte> bytes) LINTEL_REQUIRES(lock_);
  void release_delayed() LINTEL_REQUIRES(lock_);

  std::unique_ptr<Transport> wrapped_;
  TransportAttributes attributes_;
  FaultPlan plan_;
  OwnerLock lock_;
  FaultCounters counters_ LINTEL_GUARDED_BY(lock_);
  std::mt19937_64 random_ LINTEL_GUARDED_BY(lock_);
  TimePoint now_ LINTEL_GUARDED_BY(lock_){};
  std::vector<FaultyPeer> peers_ LINTEL_GUARDED_BY(lock_);  // by PeerId
  QueuedReports reports_ LINTEL_GUARDED_BY(lock_);
  // Remaining calls of the present period of no room.
  std::uint64_t no_room_calls_ LINTEL_GUARDED_BY(lock_) = 0;
  bool blocked_since_poll_ LINTEL_GUARDED_BY(lock_) = false;
  Sink* sink_ LINTEL_GUARDED_BY(lock_) = nullptr;  // during poll()
};

}  // namespace lintel::transport
