// Two endpoints exchange every kind of operation while one allocation of the engine fails, the
// first, the second, and so on until none fails. Each time every operation that has begun ends with
// its events, nothing is left registered, waiting or busy, and no exception leaves the engine.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "portals/engine/memory/atomic_operation.h"
#include "portals/engine/protocol/endpoint.h"
#include "tests/failing_allocation.h"
#include "tests/unit/engine/descriptor_rules_of.h"
#include "tests/unit/engine/event_kinds.h"
#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {
namespace {

using testing::allocations_until_failure;
using testing::kNoFailure;
using testing::UnlimitedMemory;

constexpr std::uint8_t kInterface = 1;
constexpr std::uint64_t kExpected = 7;    // match bits of the entry in the priority list
constexpr std::uint64_t kUnexpected = 8;  // and of the one in the overflow list
constexpr std::size_t kShort = 8;
constexpr std::size_t kLong = 200;  // several writes

class Network final : public RecordingTransport {
 public:
  explicit Network(std::uint32_t pid) : pid_(pid) {}
  bool disconnected = false;
  bool has_memory = true;

  ProcessId self() const override { return {NodeId(1), Pid(pid_)}; }
  transport::MessageBuffer reserve(transport::PeerId peer, std::size_t bytes) override {
    if (!has_memory) throw std::bad_alloc();
    const UnlimitedMemory memory;
    return RecordingTransport::reserve(peer, bytes);
  }
  transport::PostStatus commit(transport::PeerId to, const transport::MessageBuffer& buffer,
                               std::size_t bytes) override {
    const UnlimitedMemory memory;
    return RecordingTransport::commit(to, buffer, bytes);
  }
  transport::PostStatus post_write(transport::PeerId peer, const transport::LocalMemory& from,
                                   transport::RemoteMemory to, transport::Immediate immediate,
                                   transport::Context context) override {
    const UnlimitedMemory memory;
    return RecordingTransport::post_write(peer, from, to, immediate, context);
  }
  void disconnect(transport::PeerId) override { disconnected = true; }
  std::string describe(transport::PeerId) const override {
    return "a peer whose description needs an allocation";
  }

 private:
  std::uint32_t pid_;
};

// A process with one descriptor for its requests, one entry in each list of a portal, and a queue.
struct Node {
  explicit Node(std::uint32_t pid)
      : own(pid),
        interface(kInterface, Identity{{NodeId(1), Pid(pid)}, UserId(10), JobId(0)},
                  InterfaceLimits(), counters, pending_work) {
    kLock.is_held();
    auto made = std::make_unique<Network>(pid);
    network = made.get();
    endpoint =
        std::make_unique<Endpoint>(std::move(made), EndpointOptions{.eager_limit = 64}, counters);
    endpoint->attach(interface);
    EXPECT_EQ(interface.events.allocate_queue(64, nullptr, queue, 2), Status::kOk);
    EXPECT_EQ(interface.portals.allocate({}, queue, 0, portal), Status::kOk);
    EXPECT_EQ(interface.entries.bind_descriptor(rules(0), false, descriptor), Status::kOk);
    append(PortalList::kPriority, kExpected);
    append(PortalList::kOverflow, kUnexpected);
  }
  ~Node() {
    kLock.is_held();
    endpoint->detach(interface);
    interface.drop_objects();  // asserts that no descriptor is busy
    EXPECT_EQ(network->registered, 0U);
    EXPECT_EQ(network->watched, 0);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  transport::PeerId other() const { return transport::PeerId(3 - own); }
  DescriptorRules rules(std::uint32_t options) { return rules_of(memory, queue, options); }
  void append(PortalList list, std::uint64_t bits) {
    kLock.is_held();
    SlotId made;
    EXPECT_EQ(
        interface.unexpected.append_entry(portal, list, {{NodeId(kAnyId), Pid(kAnyId)}, bits, 0},
                                          rules(option::kPut | option::kGet), false, made),
        Status::kOk);
  }
  bool start(wire::MessageKind kind, std::size_t length, std::uint64_t bits) {
    kLock.is_held();
    RequestArguments arguments;
    arguments.descriptor = arguments.get_descriptor = descriptor;
    arguments.whole_descriptor = false;
    arguments.length = length;
    arguments.target = {NodeId(1), Pid(3 - own)};
    arguments.match_bits = bits;
    arguments.ack = AckRequest::kFull;
    arguments.atomic_operation = static_cast<std::uint8_t>(AtomicOp::kSum);
    arguments.atomic_datatype = static_cast<std::uint8_t>(AtomicDatatype::kUint64);
    const Status status = endpoint->initiator().start(interface, kind, arguments);
    EXPECT_TRUE(status == Status::kOk || status == Status::kNoSpace);
    return status == Status::kOk;
  }

  std::uint32_t own;
  std::array<std::byte, 256> memory{};
  Counters counters;
  PendingWork pending_work;
  Network* network = nullptr;
  std::unique_ptr<Endpoint> endpoint;
  NetworkInterface interface;
  SlotId queue;
  SlotId descriptor;
  std::uint32_t portal = 0;
};

// Delivers what `from` has sent and written. Returns how much that was.
std::size_t deliver(Node& from, Node& to) {
  kLock.is_held();
  std::vector<RecordingTransport::Sent> sent;
  std::vector<RecordingTransport::Posted> posted;
  sent.swap(from.network->sent);
  posted.swap(from.network->posted);
  const auto connected = [&] { return !from.network->disconnected && !to.network->disconnected; };
  for (const RecordingTransport::Sent& message : sent) {
    if (connected()) to.endpoint->on_message(to.other(), message.bytes);
  }
  for (const RecordingTransport::Posted& write : posted) {
    if (!connected()) continue;
    std::memcpy(reinterpret_cast<std::byte*>(write.to.address), write.from, write.length);
    ++from.network->write_room;
    from.endpoint->on_write_done(write.context, Error());
    if (connected()) to.endpoint->on_immediate(to.other(), write.immediate);
  }
  static_cast<void>(from.endpoint->poll(TimePoint()));
  if (!connected()) {
    for (Node* node : {&from, &to}) {
      const UnlimitedMemory memory;
      node->network->sent.clear();
      node->network->posted.clear();
      if (!node->network->disconnected)
        node->endpoint->on_peer_failed(node->other(), Error(Loss::kPeer, "test", "disconnected"));
    }
    from.network->disconnected = to.network->disconnected = false;
    from.network->write_room = to.network->write_room = 1;
  }
  return sent.size() + posted.size();
}

struct Started {
  std::size_t sends = 0;    // each has a SEND_END
  std::size_t replies = 0;  // each has a REPLY_END
};

// One operation of each kind, of which some find no room at first.
Started run(Node& initiator, Node& target) {
  using wire::MessageKind;
  Started started;
  const auto start_all = [&](std::size_t length, std::uint64_t bits) {
    for (const MessageKind kind :
         {MessageKind::kPut, MessageKind::kGet, MessageKind::kFetchAtomic, MessageKind::kAtomic}) {
      const bool fetches = kind == MessageKind::kGet || kind == MessageKind::kFetchAtomic;
      if (!initiator.start(kind, length, bits)) continue;
      started.sends += kind == MessageKind::kGet ? 0 : 1;
      started.replies += fetches ? 1 : 0;
    }
  };
  const auto exchange = [&] {
    for (std::size_t some = 1; some != 0;)
      some = deliver(initiator, target) + deliver(target, initiator);
  };
  initiator.network->write_room = target.network->write_room = 1;
  start_all(kShort, kExpected);
  target.network->message_room = 0;
  exchange();
  target.network->message_room = 1000;
  exchange();
  initiator.network->message_room = 0;
  start_all(kShort, kUnexpected);
  start_all(kLong, kExpected);
  initiator.network->message_room = 1000;
  exchange();
  start_all(kLong, kUnexpected);
  exchange();
  return started;
}

TEST(NoMemory, EveryOperationEndsWhicheverAllocationFails) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  long nth = 0;
  for (bool failed = true; failed; ++nth) {
    kLock.is_held();
    SCOPED_TRACE("allocation " + std::to_string(nth));
    Node initiator(1);
    Node target(2);
    allocations_until_failure = nth;
    const Started started = run(initiator, target);
    failed = allocations_until_failure < 0;
    allocations_until_failure = kNoFailure;

    Started ended;
    for (const EventKind kind : take_kinds(initiator.interface.events, initiator.queue)) {
      if (kind == EventKind::kSendEnd) ++ended.sends;
      if (kind == EventKind::kReplyEnd) ++ended.replies;
    }
    EXPECT_EQ(ended.sends, started.sends);
    EXPECT_EQ(ended.replies, started.replies);
    for (const Node* node : {&initiator, &target}) {
      std::string state;
      node->endpoint->dump(state);
      EXPECT_EQ(state.substr(0, 32), "operations 0\nwaiting messages 0\n") << state;
    }
    const std::uint64_t given_up = initiator.counters.get(Counter::kPeersWithoutMemory) +
                                   target.counters.get(Counter::kPeersWithoutMemory);
    EXPECT_LE(given_up, failed ? 1U : 0U);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(nth, 20) << "allocations of the engine";
}

// An interface ends, and what waits then, of another one, finds no memory.
TEST(NoMemory, ATurnFollowsInWhichWhatWaitsIsSent) {
  kLock.is_held();
  Node initiator(1);
  Node target(2);
  NetworkInterface ends(kInterface + 1, Identity{{NodeId(1), Pid(1)}, UserId(10), JobId(0)},
                        InterfaceLimits(), initiator.counters, initiator.pending_work);
  initiator.endpoint->attach(ends);
  initiator.network->message_room = 0;
  ASSERT_TRUE(initiator.start(wire::MessageKind::kPut, kShort, kExpected));
  EXPECT_EQ(initiator.endpoint->next_deadline(), kNever) << "the network reports room";
  initiator.network->message_room = 1000;
  initiator.network->has_memory = false;
  initiator.endpoint->detach(ends);
  EXPECT_LT(initiator.endpoint->next_deadline(), kNever);
  initiator.network->has_memory = true;
  static_cast<void>(initiator.endpoint->poll(TimePoint()));
  EXPECT_EQ(initiator.endpoint->next_deadline(), kNever);
  EXPECT_EQ(initiator.network->sent.size(), 1U);
  while (deliver(initiator, target) + deliver(target, initiator) != 0) {
  }
}

}  // namespace
}  // namespace lintel::portals
