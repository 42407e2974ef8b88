// DirectReceiver: what is read from a connection, and what becomes of it when the sink, the memory
// or the bytes do not allow a delivery.
#include "transport/direct/direct_receiver.h"

#include <new>

#include "tests/unit/direct/direct_parts.h"

namespace lintel::transport {
namespace {

class DirectReceiverTest : public DirectPartsTest {
 protected:
  DirectConnection& connection = open_connection();
  const PeerId peer = connection.peer;
  std::string of_peer(const char* what) {
    return what + std::string(" ") + std::to_string(peer.value);
  }
  // The sink's log after what has arrived was read.
  std::vector<std::string> read() {
    begin_poll(kStart);
    receiver.receive(connection);
    end_poll();
    return sink.take();
  }
  std::vector<std::string> resume() {
    begin_poll(kStart);
    receiver.resume_stalled();
    end_poll();
    return sink.take();
  }
  static Bytes bytes_of(const char* text) {
    const auto* const begin = reinterpret_cast<const std::byte*>(text);
    return {begin, begin + std::strlen(text)};
  }
};

TEST_F(DirectReceiverTest, DeliversMessagesInOrder) {
  Bytes bytes;
  append_message(bytes, bytes_of("first"));
  append_message(bytes, bytes_of("second"));
  peer_sends(connection, bytes);
  EXPECT_EQ(read(), (std::vector{of_peer("message") + " first", of_peer("message") + " second"}));
  EXPECT_EQ(tables.reports, 2U);
}

TEST_F(DirectReceiverTest, AMessageInPartsIsDeliveredWhenItIsWhole) {
  Bytes bytes;
  append_message(bytes, bytes_of("parts"));
  peer_sends(connection, std::span(bytes).first(9));
  EXPECT_EQ(read(), std::vector<std::string>{});
  peer_sends(connection, std::span(bytes).subspan(9));
  EXPECT_EQ(read(), std::vector{of_peer("message") + " parts"});
}

TEST_F(DirectReceiverTest, AWriteGoesToItsPlaceAndToNoOther) {
  Bytes memory(100);
  const Registration region = tables.targets.add(peer, memory);
  const Bytes data = filled(50, 4);
  Bytes bytes;
  append_write(bytes, {region.key, region.base + 20}, Immediate(9), data);
  peer_sends(connection, bytes);
  EXPECT_EQ(read(), std::vector<std::string>{"immediate 9"});
  EXPECT_TRUE(std::equal(data.begin(), data.end(), memory.begin() + 20));
  EXPECT_EQ(memory[19], std::byte{0});
  EXPECT_EQ(memory[70], std::byte{0});
}

TEST_F(DirectReceiverTest, AWriteToMemoryOfAnotherPeerLosesThePeer) {
  Bytes memory(100);
  const Registration region = tables.targets.add(open_connection().peer, memory);
  Bytes bytes;
  append_write(bytes, {region.key, region.base}, Immediate(9), filled(50, 4));
  peer_sends(connection, bytes);
  const std::vector<std::string> log = read();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].rfind(of_peer("failed"), 0), 0U);
  EXPECT_EQ(memory, Bytes(100));
  EXPECT_EQ(tables.counters.broken_streams, 1U);
}

TEST_F(DirectReceiverTest, MalformedBytesLoseThePeerAlsoIfItsConnectionCouldBeResumed) {
  connection.key = kKey;
  Bytes bytes;
  append_wire(bytes, piece_header(PieceKind::kMessage, kMessageBytes + 1));
  peer_sends(connection, bytes);
  EXPECT_EQ(read().size(), 1U);
  EXPECT_EQ(tables.counters.broken_streams, 1U);
  EXPECT_FALSE(connections.has_suspended());
}

TEST_F(DirectReceiverTest, NothingIsReadBeforeTheLossOfThePeerWasReported) {
  Bytes bytes;
  append_message(bytes, bytes_of("later"));
  peer_sends(connection, bytes);
  tables.peers[peer].failed = true;
  EXPECT_EQ(read(), std::vector<std::string>{});
  tables.peers[peer].failed = false;
  EXPECT_EQ(read(), std::vector{of_peer("message") + " later"});
}

TEST_F(DirectReceiverTest, TheEndOfTheConnectionIsALossAfterWhatHasArrived) {
  Bytes bytes;
  append_message(bytes, bytes_of("last"));
  peer_sends(connection, bytes);
  close_peer_of(connection);
  wait_for(connection.fd.get(), POLLRDHUP);
  EXPECT_EQ(read(), std::vector{of_peer("message") + " last"});
  const std::vector<std::string> log = read();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].rfind(of_peer("failed"), 0), 0U);
}

TEST_F(DirectReceiverTest, ASinkWithoutMemoryCostsTheConnection) {
  sink.answer = [](PeerId, std::span<const std::byte>) { throw std::bad_alloc(); };
  Bytes bytes;
  append_message(bytes, bytes_of("one"));
  append_message(bytes, bytes_of("two"));
  peer_sends(connection, bytes);
  const std::vector<std::string> log = read();
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0], of_peer("message") + " one");
  EXPECT_EQ(log[1].rfind(of_peer("failed"), 0), 0U);
}

TEST_F(DirectReceiverTest, APlacedMessageWaitsUntilPlacementIsEnabled) {
  Bytes bytes;
  append_placed(bytes, kPlacement, bytes_of("to"), bytes_of("payload"));
  peer_sends(connection, bytes);
  EXPECT_EQ(read(), std::vector<std::string>{});
  ASSERT_EQ(tables.stalled.size(), 1U);
  EXPECT_EQ(tables.stalled[0], &connection);
  EXPECT_FALSE(receiver.can_resume_stalled());
  EXPECT_NE(tables.stuck_check, kNever);
  tables.placement_enabled = true;
  EXPECT_TRUE(receiver.can_resume_stalled());
  EXPECT_EQ(resume(), std::vector{of_peer("placed message") + " to payload"});
  EXPECT_TRUE(tables.stalled.empty());
  EXPECT_EQ(tables.unexpected.in_use(), 0U);
}

TEST_F(DirectReceiverTest, APlacedMessageThatIsExpectedGoesToItsPlaceThoughNoMemoryIsFree) {
  tables.placement_enabled = true;
  std::vector<UnexpectedMemory::Slot> others;
  while (!tables.unexpected.is_used_up()) others.push_back(tables.unexpected.take());
  Bytes landing(7);
  DirectPeer& from = tables.peers[peer];
  from.expects = true;
  from.expected = kPlacement;
  from.landing = landing;
  Bytes bytes;
  append_placed(bytes, kPlacement, bytes_of("to"), bytes_of("payload"));
  peer_sends(connection, bytes);
  EXPECT_EQ(read(), std::vector{of_peer("placed message") + " to payload"});
  EXPECT_EQ(landing, bytes_of("payload"));
  EXPECT_FALSE(from.expects);
  for (UnexpectedMemory::Slot& slot : others) tables.unexpected.give_back(std::move(slot));
}

TEST_F(DirectReceiverTest, AConnectionWhoseAnswerFailsWhileItsStreamGoesOnEndsOnce) {
  Bytes memory = filled(100, 1);
  send_write(connection, memory, kWritten);
  Bytes bytes;
  append_acknowledgement(bytes, static_cast<std::uint32_t>(connection.outbound.sent()));
  append_message(bytes, bytes_of("question"));
  peer_sends(connection, bytes);
  read();
  reset_connection(peer_of(connection));
  wait_for(connection.fd.get(), POLLHUP);
  sink.answer = [this](PeerId, std::span<const std::byte>) { send_message(connection, 10); };
  EXPECT_EQ(resume(), std::vector{of_peer("message") + " question"});
  ASSERT_EQ(tables.ending.size(), 1U);
  EXPECT_EQ(tables.ending[0], &connection);
}

TEST_F(DirectReceiverTest, WhatFollowsTheAcknowledgementOfTheLastOperationIsDeliveredOnePollLater) {
  Bytes memory = filled(100, 1);
  send_write(connection, memory, kWritten);
  Bytes bytes;
  append_acknowledgement(bytes, static_cast<std::uint32_t>(connection.outbound.sent()));
  append_message(bytes, bytes_of("answer"));
  peer_sends(connection, bytes);
  EXPECT_EQ(read(), std::vector<std::string>{"write_done 7"});
  EXPECT_TRUE(receiver.can_resume_stalled());
  EXPECT_EQ(resume(), std::vector{of_peer("message") + " answer"});
}

}  // namespace
}  // namespace lintel::transport
