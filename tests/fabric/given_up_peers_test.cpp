// Peers that receive nothing, and peers that nobody wants any more: what they leave to others.
#include <sstream>
#include <utility>

#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/provider_names.h"
#include "transport/contact/send_share.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {
namespace {

// A number of FabricTransport::dump().
std::size_t dumped(const Transport& transport, const std::string& what) {
  std::string text;
  transport.dump(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(what + ": ");
    if (at != std::string::npos) return std::stoul(line.substr(at + what.size() + 2));
  }
  ADD_FAILURE() << "no '" << what << "' in " << text;
  return 0;
}

// Sends messages to the peer, which does not receive, until nothing more is accepted for a while.
void send_until_blocked(Node& from, PeerId to) {
  const std::size_t bytes = from.transport->attributes().max_message_bytes;
  constexpr int kTurns = 300;
  for (int idle = 0; idle < kTurns; ++idle) {
    from.poll();
    while (const MessageBuffer buffer = from.transport->reserve(to, bytes)) {
      std::memset(buffer.data, 1, bytes);
      if (from.transport->commit(to, buffer, bytes) != PostStatus::kOk) {
        from.transport->abandon(to, buffer);
        break;
      }
      idle = 0;
    }
  }
}

std::size_t frames_for(Node& node, PeerId to) {
  std::vector<MessageBuffer> lent;
  while (MessageBuffer buffer = node.transport->reserve(to, 8)) lent.push_back(std::move(buffer));
  for (const MessageBuffer& buffer : lent) node.transport->abandon(to, buffer);
  return lent.size();
}

// Not shm: there a message is complete when the provider has copied it to the peer's memory.
class GivenUpPeers : public testing::TestWithParam<const char*> {
 protected:
  static NetworkOptions few_frames() {
    NetworkOptions options = options_for(GetParam());
    options.send_frames = 4;
    return options;
  }
  // Opens a node, and sends it a message, so that there is a connection.
  PeerId connect_to(Node& node) {
    node = open_node(options_for(GetParam()));
    const PeerId peer = a.transport->resolve(node.transport->self()).value();
    EXPECT_TRUE(send(a, peer, pattern(8, 1), {&a, &node}));
    EXPECT_TRUE(until({&a, &node}, [&] { return node.seen.message_count == 1; }));
    return peer;
  }
  Node a = open_node(few_frames());
};
INSTANTIATE_TEST_SUITE_P(Provider, GivenUpPeers, testing::Values("net", "tcp;ofi_rxm"),
                         provider_test_name);

TEST_P(GivenUpPeers, WhoReceivesNothingLeavesTwoFramesToEachOther) {
  std::vector<Node> deaf(6);
  std::vector<PeerId> at_a;
  for (Node& node : deaf) at_a.push_back(connect_to(node));
  Node other;
  const PeerId to = connect_to(other);
  for (const PeerId peer : at_a) send_until_blocked(a, peer);
  EXPECT_GE(dumped(*a.transport, "messages under way or lent"), few_frames().send_frames);
  EXPECT_EQ(frames_for(a, to), SendShare::kOwnFrames);
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(send(a, to, pattern(4000, i), {&a, &other}));
  EXPECT_TRUE(until({&a, &other}, [&] { return other.seen.message_count == 101; }));
  for (Node& node : deaf) EXPECT_EQ(node.seen.message_count, 1U) << "it was not polled";
}

TEST_P(GivenUpPeers, FramesThatTheProviderKeepsAreReplacedAndComeBack) {
  Node deaf;
  const PeerId peer = connect_to(deaf);
  send_until_blocked(a, peer);
  const std::size_t held = dumped(*a.transport, "messages under way or lent");
  ASSERT_GE(held, 1U) << "the test saw what it is about";
  a.transport->disconnect(peer);
  EXPECT_EQ(dumped(*a.transport, "messages under way or lent"), 0U);
  EXPECT_EQ(dumped(*a.transport, "messages to peers that were given up"), held);
  EXPECT_EQ(frames_for(a, peer), SendShare::kOwnFrames) << "it may begin again";
  EXPECT_TRUE(a.transport->close(monotonic_now())) << "nobody waits for them";
  a.seen = Recorder();
  EXPECT_TRUE(until({&a, &deaf}, [&] {
    return dumped(*a.transport, "messages to peers that were given up") == 0;
  }));
  EXPECT_EQ(a.seen.messages_left, 0U) << "they were of an earlier connection";
}

TEST_P(GivenUpPeers, FramesForOneThatEndsWithoutReceivingThemComeBack) {
  for (int turn = 0; turn < 3; ++turn) {
    Node deaf;
    const PeerId peer = connect_to(deaf);
    send_until_blocked(a, peer);
    ASSERT_GE(dumped(*a.transport, "messages under way or lent"), 1U);
    a.seen.failures.clear();
    deaf.transport.reset();
    ASSERT_TRUE(until({&a},
                      [&] {
                        return !a.seen.failures.empty() &&
                               dumped(*a.transport, "messages under way or lent") == 0;
                      }))
        << turn << ", " << dumped(*a.transport, "messages under way or lent");
    EXPECT_EQ(a.seen.failures[0].first, peer);
  }
}

TEST_P(GivenUpPeers, AreForgottenWhenTheProviderHasNothingOfThemAnyMore) {
  Node deaf;
  const PeerId peer = connect_to(deaf);
  send_until_blocked(a, peer);
  a.transport->forget(peer);
  const NodeId nid = a.transport->self().nid;
  EXPECT_NE(a.transport->resolve({nid, Pid(901)}).value(), peer) << "it is in use";
  EXPECT_TRUE(until({&a, &deaf}, [&] {
    return dumped(*a.transport, "messages to peers that were given up") == 0;
  }));
  EXPECT_EQ(a.transport->resolve({nid, Pid(902)}).value(), peer);
}

TEST_P(GivenUpPeers, WhoIsForgottenAndComesBackIsHeardAndReached) {
  Node back;
  const PeerId first = connect_to(back);
  a.transport->forget(first);
  EXPECT_EQ(dumped(*a.transport, "peers"), 0U);
  const PeerId a_there = back.transport->resolve(a.transport->self()).value();
  ASSERT_TRUE(send(back, a_there, pattern(100, 5), {&a, &back}));
  ASSERT_TRUE(until({&a, &back}, [&] { return a.seen.message_count == 1; }));
  const PeerId again = a.transport->resolve(back.transport->self()).value();
  ASSERT_TRUE(send(a, again, pattern(100, 6), {&a, &back}));
  EXPECT_TRUE(until({&a, &back}, [&] { return back.seen.message_count == 2; }));
}

TEST_P(GivenUpPeers, ShortLivedOnesLeaveNothing) {
  for (int turn = 0; turn < 40; ++turn) {
    Node short_lived;
    const PeerId peer = connect_to(short_lived);
    EXPECT_EQ(peer, PeerId(0)) << turn;
    ASSERT_TRUE(until({&a}, [&] {
      return dumped(*a.transport, "messages under way or lent") == 0;
    })) << turn;
    short_lived.transport.reset();
    a.transport->forget(peer);
  }
  EXPECT_EQ(dumped(*a.transport, "peers"), 0U);
  EXPECT_EQ(dumped(*a.transport, "most addresses"), 1U);
}

// One process that says it is thousands, each of which a session refuses.
TEST_P(GivenUpPeers, AStrangerWithManyNamesMakesNoTableGrow) {
  constexpr std::uint32_t kNames = 3000;
  constexpr std::size_t kKept = 32;
  Node stranger = open_node(options_for(GetParam()));
  SessionOptions options;
  options.incarnation = 1;
  options.max_closed_peers = kKept;
  const Transport& lower = *a.transport;
  a.transport = std::make_unique<Session>(std::move(a.transport), options);
  const PeerId to = stranger.transport->resolve(a.transport->self()).value();
  std::byte frame[sizeof(FrameHeader) + sizeof(Introduction)];
  for (std::uint32_t i = 0; i < kNames; ++i) {
    Introduction hello{};
    hello.nid = a.transport->self().nid.value;
    hello.pid = 1000 + i;
    hello.incarnation = hello.epoch = 1;
    hello.oldest_version = kFrameVersion + 1;
    encode(frame,
           FrameHeader{kFrameMagic, kFrameVersion + 1, static_cast<std::uint8_t>(FrameKind::kHello),
                       0, 0, 0, 0, sizeof(Introduction)});
    encode(frame + sizeof(FrameHeader), hello);
    ASSERT_TRUE(send(stranger, to, frame, {&a, &stranger})) << i;
  }
  ASSERT_TRUE(until({&a, &stranger}, [&] { return a.transport->frame_counts().refused == kNames; }))
      << a.transport->frame_counts().refused;
  a.poll();
  // Those of one poll come before any is forgotten.
  EXPECT_LE(dumped(lower, "peers"), kKept + 1);
  EXPECT_LT(dumped(lower, "most addresses"), kNames / 4);
}

// On every network: names that nobody has.
class ForgottenNames : public testing::TestWithParam<const char*> {};
LINTEL_FOR_EACH_PROVIDER(ForgottenNames);

TEST_P(ForgottenNames, ThousandsOfThemUseOneId) {
  NetworkOptions options = options_for(GetParam());
  options.interface_address = "127.0.0.2";  // no process of another test has a name there
  Node node = open_node(options);
  const ProcessId self = node.transport->self();
  const std::uint32_t first = self.pid.value < 30000 ? 40000 : 1100;  // its own is not among them
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const PeerId peer = node.transport->resolve({self.nid, Pid(first + i)}).value();
    ASSERT_EQ(peer, PeerId(0)) << i;
    if (i % 100 == 0) {
      const MessageBuffer buffer = node.transport->reserve(peer, 8);
      ASSERT_EQ(node.transport->commit(peer, buffer, 8), PostStatus::kWouldBlock);
      node.transport->abandon(peer, buffer);
      node.poll();
      node.transport->disconnect(peer);
    }
    node.transport->forget(peer);
  }
  EXPECT_TRUE(node.seen.failures.empty());
}

// Who had the address before may have kept its connection, which the provider does not tell from
// the new one.
TEST(ForgottenNamesOnNet, ReceiveNothingInThePlaceOfWhoGetsTheirAddress) {
  if (!has_net()) GTEST_SKIP() << "this libfabric has no provider that places payloads";
  Node node = open_node(options_for("net"));
  node.transport->enable_placement();
  const NodeId nid = node.transport->self().nid;
  const PeerId first = node.transport->resolve({nid, Pid(1100)}).value();
  std::byte memory[8];
  ASSERT_TRUE(node.transport->expect_placement(first, PlacementKey(1), memory));
  node.transport->forget(first);
  const PeerId second = node.transport->resolve({nid, Pid(1101)}).value();
  EXPECT_EQ(second, first) << "what was expected is withdrawn";
  EXPECT_FALSE(node.transport->expect_placement(second, PlacementKey(1), memory));
  const PeerId third = node.transport->resolve({nid, Pid(1102)}).value();
  EXPECT_TRUE(node.transport->expect_placement(third, PlacementKey(1), memory));
  EXPECT_EQ(node.transport->withdraw_placement(third), Withdrawal::kWithdrawn);
}

}  // namespace
}  // namespace lintel::transport
