// DirectConnections: what is left of a connection that is lost, and what is told of it.
#include "transport/direct/direct_connections.h"

#include <new>

#include "tests/unit/direct/direct_parts.h"

namespace lintel::transport {
namespace {

using std::chrono::milliseconds;
using Phase = DirectConnection::Phase;

constexpr Error kReset{Loss::kPeer, "recv", "it is lost", ECONNRESET};

class DirectConnectionsTest : public DirectPartsTest {
 protected:
  DirectConnection& connection = open_connection();
  const PeerId peer = connection.peer;
  Bytes memory = filled(1000, 3);
  std::string failed(const char* why) { return "failed " + std::to_string(peer.value) + " " + why; }
  void make_resumable() { connection.key = kKey; }
};

TEST_F(DirectConnectionsTest, AConnectionThatCannotBeResumedIsLostWithWhatWaitedForIt) {
  send_write(connection, memory, kWritten);
  begin_poll(kStart);
  connections.lost(connection, kReset);
  EXPECT_EQ(tables.peers[peer].connection, nullptr);
  EXPECT_EQ(tables.peers[peer].writes.held, 0U);
  EXPECT_EQ(tables.open_count, 0U);
  end_poll();
  EXPECT_EQ(sink.take(),
            (std::vector<std::string>{"write_done 7 it is lost", failed("it is lost")}));
}

TEST_F(DirectConnectionsTest, AConnectionThatCanBeResumedKeepsItsRecordsAndIsNoLoss) {
  make_resumable();
  send_write(connection, memory, kWritten);
  begin_poll(kStart);
  connections.lost(connection, kReset);
  end_poll();
  EXPECT_EQ(connection.phase, Phase::kSuspended);
  EXPECT_TRUE(connections.has_suspended());
  EXPECT_EQ(tables.peers[peer].writes.held, 1U);
  EXPECT_EQ(tables.counters.interrupted, 1U);
  EXPECT_EQ(sink.take(), std::vector<std::string>{});
}

TEST_F(DirectConnectionsTest, ASuspendedConnectionThatIsNotResumedInTimeIsLost) {
  make_resumable();
  begin_poll(kStart);
  connections.suspend(connection, kReset);
  end_poll();
  begin_poll(kStart + (options.output_timeout - milliseconds(1)));
  connections.resume_suspended();
  EXPECT_TRUE(connections.has_suspended());
  end_poll();
  begin_poll(kStart + options.output_timeout);
  connections.resume_suspended();
  end_poll();
  EXPECT_FALSE(connections.has_suspended());
  EXPECT_EQ(sink.take(), std::vector<std::string>{failed("it is lost")});
}

TEST_F(DirectConnectionsTest, AProcessThatWasStoppedGivesItsPeersTheirTime) {
  make_resumable();
  begin_poll(kStart);
  connections.suspend(connection, kReset);
  const TimePoint before = connection.suspension.until();
  connections.prolong_suspensions(kStart + options.output_timeout / kOutputQuarters);
  EXPECT_EQ(connection.suspension.until(), before);
  connections.prolong_suspensions(kStart + options.output_timeout);
  EXPECT_EQ(connection.suspension.until(), before + options.output_timeout / kOutputQuarters * 3);
  end_poll();
}

TEST_F(DirectConnectionsTest, WhatAnotherConnectionWouldMeetTooIsNotResumed) {
  make_resumable();
  begin_poll(kStart);
  connections.lost(connection, {Loss::kPeer, "send", "memory is gone", EFAULT});
  end_poll();
  EXPECT_FALSE(connections.has_suspended());
  EXPECT_EQ(sink.take(), std::vector<std::string>{failed("memory is gone")});
}

TEST_F(DirectConnectionsTest, AConnectionThatIsLostWhenAllWasSentAndTheOwnerClosesIsNotResumed) {
  make_resumable();
  tables.closing = true;
  begin_poll(kStart);
  connections.lost(connection, kReset);
  end_poll();
  EXPECT_FALSE(connections.has_suspended());
  EXPECT_EQ(sink.take(), std::vector<std::string>{failed("it is lost")});
}

TEST_F(DirectConnectionsTest, AResumedConnectionSendsWhatThePeerHasNotReceived) {
  make_resumable();
  send_message(connection, 100);
  peer_receives(connection, 108);
  begin_poll(kStart);
  connections.suspend(connection, kReset);
  DirectConnection& replacement = open_connection();
  connections.stop_watching(replacement);
  connection.fd = std::move(replacement.fd);
  EXPECT_TRUE(sender.acknowledged(connection, 8));
  connections.resumed(connection);
  EXPECT_EQ(connection.phase, Phase::kOpen);
  EXPECT_FALSE(connections.has_suspended());
  EXPECT_TRUE(tables.ending.empty());
  ASSERT_EQ(sender.waiting().size(), 1U);
  sender.send_waiting(connection);
  EXPECT_EQ(peer_receives(replacement, 100), Bytes(100, std::byte{'m'}));
  end_poll();
}

TEST_F(DirectConnectionsTest, ADisconnectedPeerIsNoLossAndGetsWhatTheKernelHas) {
  send_message(connection, 100);
  connections.disconnect(peer);
  EXPECT_EQ(tables.peers[peer].connection, nullptr);
  EXPECT_EQ(peer_receives(connection, 200).size(), 108U);  // then the end
  EXPECT_EQ(reports_at(kStart), std::vector<std::string>{});
}

TEST_F(DirectConnectionsTest, ADisconnectTakesBackALossThatWasNotReported) {
  connections.fail(peer, kReset);
  connections.disconnect(peer);
  EXPECT_FALSE(tables.peers[peer].failed);
  EXPECT_EQ(reports_at(kStart), std::vector<std::string>{});
}

TEST_F(DirectConnectionsTest, SeveralLossesOfAPeerAreOneReport) {
  connections.fail(peer, kReset);
  connections.fail(peer, {Loss::kPeer, "send", "again", EPIPE});
  EXPECT_EQ(reports_at(kStart), std::vector<std::string>{failed("it is lost")});
}

TEST_F(DirectConnectionsTest, ALossThatTheSinkHasNoMemoryForIsToldAgain) {
  sink.on_failure = [](PeerId) { throw std::bad_alloc(); };
  connections.fail(peer, kReset);
  begin_poll(kStart);
  EXPECT_THROW(connections.report_failures(sink), std::bad_alloc);
  sink.on_failure = [](PeerId) {};
  sink.take();
  end_poll();
  EXPECT_EQ(sink.take(), std::vector<std::string>{failed("it is lost")});
}

TEST_F(DirectConnectionsTest, WithoutMemoryForWhatHasArrivedThePeerIsGivenUp) {
  make_resumable();
  begin_poll(kStart);
  connections.no_memory_for(connection);
  end_poll();
  EXPECT_EQ(tables.counters.without_memory, 1U);
  EXPECT_EQ(sink.take(), std::vector<std::string>{
                             failed("this process has no memory for what the peer has sent")});
}

TEST_F(DirectConnectionsTest, WithoutEpollAllPeersAreLostAndNoneIsConnectedTo) {
  const PeerId other = open_connection().peer;
  begin_poll(kStart);
  connections.on_descriptors_closed(EBADF);
  end_poll();
  EXPECT_EQ(sink.take().size(), 2U);
  EXPECT_TRUE(connections.are_descriptors_closed());
  EXPECT_EQ(connections.to(other), nullptr);
  EXPECT_TRUE(tables.peers[other].failed);
}

}  // namespace
}  // namespace lintel::transport
