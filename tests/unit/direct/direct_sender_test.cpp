// DirectSender: what is passed to the kernel, what waits, and when acknowledgements go.
#include "transport/direct/direct_sender.h"

#include <algorithm>

#include "tests/unit/direct/direct_parts.h"

namespace lintel::transport {
namespace {

class DirectSenderTest : public DirectPartsTest {
 protected:
  DirectConnection& connection = open_connection();
  SendShare& frames() { return tables.peers[connection.peer].frames; }
  // A message of the peer has arrived, which wants this acknowledgement.
  void receive_message(std::uint16_t flags) {
    Bytes bytes;
    append_message(bytes, filled(10, 1), flags);
    peer_sends(connection, bytes);
    receiver.receive(connection);
  }
  // Polls that read nothing.
  void poll_idle(int polls) {
    for (int i = 0; i < polls; ++i) {
      begin_poll(kStart);
      sender.acknowledge_due();
      end_poll();
    }
  }
};

TEST_F(DirectSenderTest, ARecordIsKeptUntilThePeerHasAcknowledgedAllOfIt) {
  send_message(connection, 100);
  EXPECT_EQ(peer_receives(connection, 108).size(), 108U);
  EXPECT_EQ(frames().held, 1U);
  EXPECT_TRUE(sender.acknowledged(connection, 107));
  EXPECT_EQ(frames().held, 1U);
  EXPECT_TRUE(sender.acknowledged(connection, 108));
  EXPECT_EQ(frames().held, 0U);
}

TEST_F(DirectSenderTest, AnAcknowledgementOfWhatWasNeverSentIsRefused) {
  send_message(connection, 100);
  EXPECT_FALSE(sender.acknowledged(connection, 109));
  EXPECT_EQ(frames().held, 1U);
}

TEST_F(DirectSenderTest, TheEndOfAWriteIsToldWhenThePeerHasIt) {
  Bytes memory = filled(1000, 3);
  send_write(connection, memory, kWritten);
  EXPECT_TRUE(tables.ended.empty());
  EXPECT_TRUE(sender.acknowledged(connection, connection.outbound.sent()));
  EXPECT_EQ(reports_at(kStart), std::vector<std::string>{"write_done 7"});
}

TEST_F(DirectSenderTest, WhatTheKernelDoesNotAcceptWaitsAndFollowsInOrder) {
  Bytes memory = filled(kMuch, 5);
  send_write(connection, memory, kWritten);
  send_message(connection, 10);
  ASSERT_EQ(sender.waiting().size(), 1U);
  Bytes got;
  const std::size_t all = sizeof(PieceHeader) * 2 + sizeof(WriteHeader) + memory.size() + 10;
  for (std::size_t before = 1; got.size() < all && got.size() != before;) {
    before = got.size();
    append(got, peer_reads(connection));
    if (!sender.waiting().empty()) sender.send_waiting(connection);
  }
  EXPECT_TRUE(sender.waiting().empty());
  const std::size_t data = sizeof(PieceHeader) + sizeof(WriteHeader);
  EXPECT_TRUE(std::equal(memory.begin(), memory.end(), got.begin() + data));
  EXPECT_EQ(got.back(), std::byte{'m'});
}

TEST_F(DirectSenderTest, NothingIsSentBeforeTheLossOfThePeerWasReported) {
  tables.peers[connection.peer].failed = true;
  EXPECT_EQ(try_message(connection, 10), PostStatus::kWouldBlock);
  EXPECT_TRUE(connection.outbound.empty());
}

TEST_F(DirectSenderTest, AConnectionThatTakesNothingMoreIsToBeEnded) {
  reset_connection(peer_of(connection));
  wait_for(connection.fd.get(), POLLHUP);
  send_message(connection, 10);
  ASSERT_EQ(tables.ending.size(), 1U);
  EXPECT_EQ(tables.ending[0], &connection);
  EXPECT_TRUE(tables.has_work());
  EXPECT_EQ(try_message(connection, 10), PostStatus::kWouldBlock);
}

TEST_F(DirectSenderTest, FramesAskForAnAcknowledgementFromHalfOfWhatMayBeKeptOn) {
  EXPECT_EQ(sender.flags_of_frame(connection, options.retained_bytes / 2 - 1), 0U);
  EXPECT_EQ(sender.flags_of_frame(connection, options.retained_bytes / 2), kAcknowledgeSoon);
}

TEST_F(DirectSenderTest, EachWriteAsksForAnAcknowledgement) {
  EXPECT_EQ(sender.flags_of_write(connection), kAcknowledgeWhenIdle);
}

TEST_F(DirectSenderTest, AnAcknowledgementWaitsUntilNothingHasArrivedForSomePolls) {
  begin_poll(kStart);
  receive_message(kAcknowledgeWhenIdle);
  end_poll();
  EXPECT_TRUE(sender.is_acknowledgement_wanted());
  poll_idle(OwedAcknowledgement::kIdlePolls);
  EXPECT_TRUE(sender.is_acknowledgement_wanted());
  EXPECT_EQ(connection.outbound.acknowledgement_sent(), 0U);
  poll_idle(1);
  EXPECT_EQ(acknowledgements_in(peer_receives(connection, sizeof(PieceHeader))), 1U);
  EXPECT_FALSE(sender.is_acknowledgement_wanted());
}

TEST_F(DirectSenderTest, AMessageTakesTheAcknowledgementAlong) {
  begin_poll(kStart);
  receive_message(kAcknowledgeSoon);
  end_poll();
  send_message(connection, 10);
  EXPECT_EQ(acknowledgements_in(peer_receives(connection, 2 * sizeof(PieceHeader) + 10)), 1U);
  EXPECT_FALSE(sender.is_acknowledgement_wanted());
  EXPECT_EQ(connection.received_unacknowledged(), 0U);
}

TEST_F(DirectSenderTest, WhatNobodyWaitsForIsAcknowledgedAfterAWhile) {
  begin_poll(kStart);
  receive_message(0);
  end_poll();
  EXPECT_FALSE(sender.is_acknowledgement_wanted());
  EXPECT_EQ(sender.next_deadline(), kStart + OwedAcknowledgement::kAfter);
  begin_poll(kStart + OwedAcknowledgement::kAfter);
  sender.acknowledge_due();
  end_poll();
  EXPECT_EQ(acknowledgements_in(peer_receives(connection, sizeof(PieceHeader))), 1U);
}

TEST_F(DirectSenderTest, EndSendingAcknowledgesWhatHasArrivedAndEndsTheStream) {
  begin_poll(kStart);
  receive_message(0);
  end_poll();
  sender.end_sending(connection);
  const Bytes got = peer_receives(connection, 100);  // until the end
  EXPECT_EQ(got.size(), sizeof(PieceHeader));
  EXPECT_EQ(acknowledgements_in(got), 1U);
}

}  // namespace
}  // namespace lintel::transport
