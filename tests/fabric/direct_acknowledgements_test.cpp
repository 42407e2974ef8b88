// When direct transports ask for acknowledgements, and when they give them. The peer gives none.
#include <gmock/gmock.h>

#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/raw_caller.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;

class DirectAcknowledgements : public testing::Test {
 protected:
  void open(std::size_t retained_bytes) {
    NetworkOptions options = options_for(DirectTransport::kName);
    options.retained_bytes = retained_bytes;
    node = open_node(options);
    caller.emplace(node);
    complete_handshake(*caller, node);
    caller->send_message(pattern(8, 1));
    ASSERT_TRUE(until({&node}, [&] { return node.seen.message_count == 1; }));
    const auto resolved = node.transport->resolve(caller->self());
    ASSERT_TRUE(resolved.ok());
    peer = resolved.value();
  }
  // Sends messages of `bytes` bytes until there is no room. Returns which of them, counted from 1,
  // ask to be acknowledged soon; the last one is the number of messages.
  std::vector<std::size_t> asking(std::size_t bytes) {
    std::vector<std::size_t> found;
    std::size_t sent = 0;
    while (const MessageBuffer buffer = node.transport->reserve(peer, bytes)) {
      std::memset(buffer.data, 0, bytes);
      EXPECT_EQ(node.transport->commit(peer, buffer, bytes), PostStatus::kOk);
      ++sent;
      // Acknowledgements of what the caller has sent have no bytes of their own.
      PieceHeader header = caller->receive_piece(node);
      if (header.kind == static_cast<std::uint8_t>(PieceKind::kAcknowledge))
        header = caller->receive_piece(node);
      EXPECT_EQ(header.length, bytes);
      if ((header.flags & kAcknowledgeSoon) != 0) found.push_back(sent);
    }
    found.push_back(sent);
    return found;
  }

  Node node;
  std::optional<RawCaller> caller;
  PeerId peer;
};

// Of a pool of 128 frames, one peer gets 32.
TEST_F(DirectAcknowledgements, AreAskedForAtHalfOfTheFramesAndAtTheLast) {
  open(1 << 20);
  EXPECT_THAT(asking(100), ElementsAre(16U, 32U, 32U));
}

TEST_F(DirectAcknowledgements, AreAskedForAtHalfOfWhatIsKeptAndAtItsEnd) {
  open(60'000);
  EXPECT_THAT(asking(10'000), ElementsAre(3U, 6U, 6U));
}

// Else it would wait for a message that takes the acknowledgement along.
TEST_F(DirectAcknowledgements, AreGivenAtTheNextPollByWhoWaitsForOne) {
  open(1 << 20);
  const std::vector<std::byte> payload = pattern(1000, 2);
  const MessageBuffer buffer = node.transport->reserve(peer, 8);
  ASSERT_EQ(node.transport->commit_placed(peer, buffer, 8, payload, PlacementKey{1}, Context(1)),
            PostStatus::kOk);
  ASSERT_TRUE(until({&node}, [&] { return caller->unread() > payload.size(); }));
  const std::size_t before = caller->unread();
  caller->send_message(pattern(8, 3), kAcknowledgeWhenIdle);
  ASSERT_TRUE(until({&node}, [&] { return node.seen.message_count == 2; }));
  node.poll();
  EXPECT_EQ(caller->unread() - before, sizeof(PieceHeader));
}

// Polls of different callers have times of different clocks, one of which is milliseconds behind.
TEST_F(DirectAcknowledgements, AreGivenInTheNextPollIfThatHasAnEarlierTime) {
  open(1 << 20);
  node.poll();
  const std::size_t before = caller->unread();
  caller->send_message(pattern(8, 3), kAcknowledgeSoon);
  ASSERT_TRUE(until({&node}, [&] { return node.seen.message_count == 2; }));
  node.transport->poll(TimePoint{monotonic_now().ns - 4'000'000}, node.seen);
  EXPECT_EQ(caller->unread() - before, sizeof(PieceHeader));
}

}  // namespace
}  // namespace lintel::transport
