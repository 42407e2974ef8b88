#pragma once
// FakeTransport: a lower transport that the test controls. Committed messages are in `sent`. The
// test queues what the next poll() reports.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "transport/transport.h"

namespace lintel::transport {

using Bytes = std::vector<std::byte>;

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(ProcessId self, std::size_t max_message_bytes = 1024) : self_(self) {
    attributes_ = {.name = "fake",
                   .version = "1.0",
                   .max_message_bytes = max_message_bytes,
                   .max_write_bytes = 4096,
                   .max_placed_bytes = 4096,
                   .max_placed_message = 128,
                   .knows_source = false,
                   .independent_reservations = true};
  }
  ~FakeTransport() override { LINTEL_ASSERT(lent_.empty()); }

  struct Sent {
    PeerId to;
    Bytes frame;
    std::span<const std::byte> payload = {};  // empty: no placed message
    PlacementKey key = {};
    Context context = {};
  };
  struct Expected {
    PlacementKey key;
    std::span<std::byte> memory;
  };
  std::deque<Sent> sent;
  std::map<PeerId, Expected> expected;
  std::vector<PeerId> reached;  // reach()
  std::vector<PeerId> disconnected;
  std::vector<PeerId> interrupted;  // for silence
  std::vector<PeerId> broken;       // interrupt()
  std::vector<PeerId> admitted;
  std::vector<ResumptionKey> resumption_keys;  // of `admitted`
  std::vector<PeerId> forgotten;
  bool welcomed = false;   // placed messages are enabled
  bool arriving = false;   // the expected message is arriving: withdraw_placement() is too late
  bool reachable = true;   // reach()
  bool room = true;        // reserve() lends
  bool has_memory = true;  // else reserve() finds none
  PostStatus commit_answer = PostStatus::kOk;
  ConnectionBinding bound_to;  // of all connections
  int polls = 0;
  int writes = 0;
  TimePoint deadline = kNever;

  void arrives(Bytes frame, PeerId from = kNoPeer) {
    queue_.push_back(
        [frame = std::move(frame), from](Sink& sink) { sink.on_message(from, frame); });
  }
  void arrives_placed(Bytes frame, std::span<const std::byte> payload, PeerId from = kNoPeer) {
    queue_.push_back([frame = std::move(frame), payload, from](Sink& sink) {
      sink.on_placed_message(from, frame, {payload, payload.size()});
    });
  }
  void written(Context context) {
    queue_.push_back([context](Sink& sink) { sink.on_write_done(context, Error()); });
  }
  void left(PeerId to) {
    queue_.push_back([to](Sink& sink) { sink.on_message_left(to); });
  }
  void contested(PeerId peer) {
    queue_.push_back([peer](Sink& sink) { sink.on_contested(peer); });
  }
  void fails(PeerId peer) {
    queue_.push_back([peer](Sink& sink) {
      sink.on_peer_failed(peer, Error(Loss::kPeer, "fake", "connection refused", 111));
    });
  }
  std::size_t lent() const { return lent_.size(); }

  const TransportAttributes& attributes() const override { return attributes_; }
  TransportAttributes& attributes() { return attributes_; }
  ProcessId self() const override { return self_; }
  Result<PeerId> resolve(ProcessId name) override {
    if (name.nid.value == 0) return Error(Loss::kOperation, "fake", "no such address");
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return PeerId{static_cast<std::uint32_t>(i)};
    }
    names_.push_back(name);
    return PeerId{static_cast<std::uint32_t>(names_.size() - 1)};
  }
  ProcessId name_of(PeerId peer) const override { return names_.at(peer.value); }

  bool reach(PeerId peer) override {
    reached.push_back(peer);
    return reachable;
  }
  MessageBuffer reserve(PeerId, std::size_t bytes) override {
    LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
    if (!has_memory) throw std::bad_alloc();
    if (!room) return {};
    Bytes& buffer = lent_[++token_];
    buffer.resize(bytes);
    return {buffer.data(), bytes, token_};
  }
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override {
    return commit_placed(peer, buffer, bytes, {}, {}, {});
  }
  void abandon(PeerId, const MessageBuffer& buffer) override {
    LINTEL_ASSERT(lent_.erase(buffer.token) == 1);
  }

  void disconnect(PeerId peer) override {
    disconnected.push_back(peer);
    expected.erase(peer);
  }

  void interrupt(PeerId peer) override { broken.push_back(peer); }
  void interrupt_if_silent(PeerId peer) override { interrupted.push_back(peer); }

  void enable_placement() override { welcomed = true; }
  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                           std::span<const std::byte> payload, PlacementKey key,
                           Context context) override {
    LINTEL_ASSERT(lent_.contains(buffer.token) && bytes <= buffer.capacity);
    LINTEL_ASSERT(payload.empty() || bytes <= attributes_.max_placed_message);
    if (commit_answer != PostStatus::kOk) return commit_answer;
    Bytes frame = std::move(lent_.extract(buffer.token).mapped());
    frame.resize(bytes);
    sent.push_back({peer, std::move(frame), payload, key, context});
    return PostStatus::kOk;
  }
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override {
    return expected.try_emplace(peer, Expected{key, memory}).second;
  }
  Withdrawal withdraw_placement(PeerId peer) override {
    if (!expected.contains(peer)) return Withdrawal::kNone;
    if (arriving) return Withdrawal::kArriving;
    expected.erase(peer);
    return Withdrawal::kWithdrawn;
  }

  Result<Registration> register_memory(PeerId, std::span<std::byte> memory, Access) override {
    return Registration{7, 8, reinterpret_cast<std::uintptr_t>(memory.data())};
  }
  void deregister_memory(const Registration&) override {}
  PostStatus post_write(PeerId, const LocalMemory&, RemoteMemory, Immediate, Context) override {
    ++writes;
    return PostStatus::kOk;
  }
  ConnectionBinding binding(PeerId) const override { return bound_to; }
  void admit(PeerId peer, const ResumptionKey& key) override {
    admitted.push_back(peer);
    resumption_keys.push_back(key);
  }
  void forget(PeerId peer) override { forgotten.push_back(peer); }
  void watch(PeerId, bool) override {}
  std::size_t poll(TimePoint, Sink& sink) override {
    ++polls;
    std::size_t reports = 0;
    for (; !queue_.empty(); ++reports) {
      const auto report = std::move(queue_.front());
      queue_.pop_front();
      report(sink);
    }
    return reports;
  }
  TimePoint next_deadline() const override { return deadline; }
  int wait_fd() const override { return -1; }
  bool prepare_wait() override { return queue_.empty(); }

 private:
  ProcessId self_;
  TransportAttributes attributes_;
  std::vector<ProcessId> names_;
  std::map<std::uint64_t, Bytes> lent_;
  std::uint64_t token_ = 0;
  std::deque<std::function<void(Sink&)>> queue_;
};

}  // namespace lintel::transport
