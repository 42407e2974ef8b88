// StuckPeers: who is given up, and when. Quarters of the output timeout pass by argument.
#include "transport/direct/stuck_peers.h"

#include "tests/unit/direct/direct_parts.h"

namespace lintel::transport {
namespace {

class StuckPeersTest : public DirectPartsTest {
 protected:
  const Nanoseconds quarter = options.output_timeout / kOutputQuarters;
  TimePoint now = kStart;
  // What the sink is told in so many polls, a quarter apart.
  std::vector<std::string> pass(int quarters) {
    for (int i = 0; i < quarters; ++i) {
      now = now + quarter;
      begin_poll(now);
      stuck_peers.end_overdue();
      end_poll();
    }
    return sink.take();
  }
  static std::string failed(PeerId peer, const char* why) {
    return "failed " + std::to_string(peer.value) + " " + why;
  }
  // The peer has begun a placed message; so much of its payload is missing.
  DirectConnection& with_payload(std::size_t missing) {
    DirectConnection& connection = open_connection();
    Bytes bytes;
    append_placed(bytes, kPlacement, filled(2, 1), filled(1000 + missing, 1));
    bytes.resize(bytes.size() - missing);
    peer_sends(connection, bytes);
    begin_poll(now);
    receiver.receive(connection);
    end_poll();
    return connection;
  }

  Bytes much = filled(kMuch, 5);
};

TEST_F(StuckPeersTest, APeerThatReadsNothingForTheOutputTimeoutIsLost) {
  DirectConnection& connection = open_connection();
  const PeerId peer = connection.peer;
  send_write(connection, much, kWritten);
  ASSERT_EQ(sender.waiting().size(), 1U);
  EXPECT_EQ(pass(kOutputQuarters), std::vector<std::string>{});
  EXPECT_EQ(pass(1),
            (std::vector<std::string>{"write_done 7 the peer does not read what is sent to it",
                                      failed(peer, "the peer does not read what is sent to it")}));
  EXPECT_EQ(tables.stuck_check, kNever);
}

TEST_F(StuckPeersTest, APeerThatReadsSomethingGetsTheWholeTimeoutAgain) {
  DirectConnection& connection = open_connection();
  send_write(connection, much, kWritten);
  pass(kOutputQuarters);
  while (connection.unread_quarters != 0 && !HasFatalFailure()) {
    ASSERT_FALSE(peer_reads(connection).empty());
    sender.send_waiting(connection);
  }
  EXPECT_EQ(pass(kOutputQuarters), std::vector<std::string>{});
}

TEST_F(StuckPeersTest, OneLongPauseOfThisProcessCountsAsOneQuarter) {
  DirectConnection& connection = open_connection();
  send_write(connection, much, kWritten);
  now = now + 100 * options.output_timeout;
  EXPECT_EQ(pass(1), std::vector<std::string>{});
}

// All memory for payloads that nobody expects is held by peers that do not end theirs; the fourth
// lacks most.
class PayloadHoldersTest : public StuckPeersTest {
 protected:
  PayloadHoldersTest() {
    tables.placement_enabled = true;
    for (std::size_t i = 0; i < UnexpectedMemory::kMost; ++i)
      holders.push_back(with_payload(i == 3 ? 900 : 500).peer);
    EXPECT_TRUE(tables.unexpected.is_used_up());
  }
  std::vector<PeerId> holders;
};

TEST_F(PayloadHoldersTest, KeepTheirMemoryWhileNobodyNeedsIt) {
  for (int quarters = 0; quarters < 10; ++quarters) {
    tables.check_for_stuck_peers();
    EXPECT_EQ(pass(1), std::vector<std::string>{});
  }
}

TEST_F(PayloadHoldersTest, AsManyAsWaitForMemoryAreLostAndFirstWhosePayloadLacksMost) {
  with_payload(0);
  ASSERT_EQ(tables.stalled.size(), 1U);
  EXPECT_EQ(pass(2), std::vector<std::string>{});
  EXPECT_EQ(pass(1), std::vector<std::string>{
                         failed(holders[3], "the peer has begun a payload and does not end it")});
  EXPECT_TRUE(receiver.can_resume_stalled());
}

TEST_F(PayloadHoldersTest, TimeInWhichThisProcessWasStoppedDoesNotCount) {
  with_payload(0);
  pass(2);
  now = now + options.output_timeout;
  EXPECT_EQ(pass(1), std::vector<std::string>{});
  EXPECT_EQ(pass(1).size(), 1U);
}

}  // namespace
}  // namespace lintel::transport
