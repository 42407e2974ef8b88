// Peers that receive nothing: what they leave to others.
#include <sstream>

#include "tests/fabric/fabric_pair.h"
#include "transport/contact/send_share.h"

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
void fill_the_way(Node& from, PeerId to) {
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
  while (const MessageBuffer buffer = node.transport->reserve(to, 8)) lent.push_back(buffer);
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
  for (const PeerId peer : at_a) fill_the_way(a, peer);
  EXPECT_GE(dumped(*a.transport, "messages under way or lent"), few_frames().send_frames);
  EXPECT_EQ(frames_for(a, to), SendShare::kOwnFrames);
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(send(a, to, pattern(4000, i), {&a, &other}));
  EXPECT_TRUE(until({&a, &other}, [&] { return other.seen.message_count == 101; }));
  for (Node& node : deaf) EXPECT_EQ(node.seen.message_count, 1U) << "it was not polled";
}

TEST_P(GivenUpPeers, FramesThatTheProviderKeepsAreReplacedAndComeBack) {
  Node deaf;
  const PeerId peer = connect_to(deaf);
  fill_the_way(a, peer);
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

}  // namespace
}  // namespace lintel::transport
