// Peers that die or close, and the end of a messenger.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

using transport::Death;

class Failures : public P2pTest, public ::testing::WithParamInterface<Death> {
 protected:
  Failures() { start(); }
  void start(std::size_t processes = 3) {
    MessengerJobOptions options;
    options.processes = processes;
    options.session.dead_peer_deadline = options.session.connect_deadline = 1s;
    P2pTest::start(options);
    // All exchange a message first, because the death of a process without contact is not reported.
    for (std::size_t from = 0; from < processes; ++from) {
      for (std::size_t to = 0; to < processes; ++to) {
        Transfer& received = receive(to, static_cast<std::int32_t>(from), 8, {.tag = 1000});
        EXPECT_TRUE(arrived(send(from, static_cast<std::int32_t>(to), 8, {.tag = 1000}), received));
      }
    }
  }
  void expect_lost(Transfer& transfer) {
    ASSERT_TRUE(ended(transfer));
    EXPECT_EQ(transfer.result().failure, RequestFailure::kPeerLost);
  }
};

TEST_P(Failures, EveryRequestToADeadPeerEnds) {
  Transfer& named = receive(0, 1, 8);
  Transfer& any = receive(0, kAnySource, 8);
  Transfer& other = receive(0, 2, 8, {.tag = 6});
  Transfer& synchronous = send(0, 1, 8, {.mode = SendMode::kSynchronous});
  Transfer& longer = send(0, 1, 50'000);
  job->settle();
  job->kill(1, GetParam());
  job->run(3s);
  expect_lost(named);
  expect_lost(any);
  expect_lost(synchronous);
  expect_lost(longer);
  EXPECT_FALSE(ended(other));
  EXPECT_TRUE(arrived(send(2, 0, 8, {.tag = 6}), other));
  // And requests that begin later.
  expect_lost(receive(0, 1, 8));
  expect_lost(send(0, 1, 8));
  const std::byte byte{};
  EXPECT_FALSE(at(0).send_at_once({&byte, 1, 1, 1, 5}));
  Transfer& later_any = receive(0, kAnySource, 8);
  EXPECT_TRUE(arrived(send(2, 0, 8), later_any));
  mpi::MessageResult envelope;
  EXPECT_EQ(as(0).probe({1, 1, 5}, envelope), CallError::kNone);
  EXPECT_EQ(envelope.failure, RequestFailure::kPeerLost);
  bool found = true;
  envelope = {};
  EXPECT_EQ(at(0).iprobe({1, 1, 5}, found, envelope), CallError::kNone);
  EXPECT_FALSE(found);
  EXPECT_EQ(envelope.failure, RequestFailure::kPeerLost);
  mpi::MatchedMessage message;
  EXPECT_EQ(as(0).mprobe({1, 1, 5}, message), CallError::kNone);
  EXPECT_FALSE(message);
  EXPECT_EQ(message.envelope().failure, RequestFailure::kPeerLost);
}

TEST_P(Failures, WhatHasArrivedFromADeadPeerMayBeReceived) {
  Transfer& sent = send(1, 0, 100);
  Transfer& longer = send(1, 0, 50'000);
  job->settle();
  job->kill(1, GetParam());
  Transfer& watching = receive(0, 1, 8, {.tag = 99});
  job->run(3s);
  expect_lost(watching);
  Transfer& received = receive(0, 1, 100);
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.buffer, sent.buffer);
  // Only the beginning of this one has arrived.
  expect_lost(receive(0, 1, 50'000));
  EXPECT_FALSE(ended(longer));
  at(1).cancel(longer.request());
}

TEST_P(Failures, TransferThatIsUnderWayEnds) {
  Transfer& received = receive(0, 1, 5'000'000);
  send(1, 0, 5'000'000);
  job->run(200us);
  EXPECT_FALSE(ended(received));
  job->kill(1, GetParam());
  job->run(5s);
  expect_lost(received);
}

INSTANTIATE_TEST_SUITE_P(Deaths, Failures, ::testing::Values(Death::kNoticed, Death::kSilent));

class Closing : public P2pTest {
 protected:
  Closing() { start(); }
};

TEST_F(Closing, WhatWasSentArrives) {
  std::vector<Transfer*> received;
  for (int i = 0; i < 200; ++i) received.push_back(&receive(1, 0, 1000));
  std::vector<Transfer*> sent;
  for (int i = 0; i < 200; ++i) sent.push_back(&send(0, 1, 1000));
  job->close(0);
  job->settle();
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(ended(*received[i])) << i;
    EXPECT_EQ(received[i]->buffer, sent[i]->buffer) << i;
  }
}

TEST_F(Closing, LongSendThatIsReceivedMeanwhileIsFinished) {
  Transfer& received = receive(1, 0, 300'000);
  Transfer& sent = send(0, 1, 300'000, {.mode = SendMode::kBuffered});
  EXPECT_TRUE(ended(sent));
  job->close(0);
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.buffer, sent.buffer);
}

TEST_F(Closing, SynchronousSenderIsAnsweredByAReceiverThatCloses) {
  Transfer& sent = send(0, 1, 100, {.mode = SendMode::kSynchronous});
  job->settle();
  Transfer& received = receive(1, 0, 100);
  EXPECT_TRUE(ended(received));
  job->close(1);
  job->settle();
  ASSERT_TRUE(ended(sent));
  EXPECT_EQ(sent.result().failure, RequestFailure::kNone);
}

TEST_F(Closing, RequestsThatAreStillActiveEnd) {
  Transfer& posted = receive(0, 1, 8);
  Transfer& any = receive(0, kAnySource, 8);
  Transfer& unmatched = send(0, 1, 50'000);
  job->close(0);
  for (Transfer* transfer : {&posted, &any, &unmatched}) {
    EXPECT_EQ(transfer->result().failure, RequestFailure::kClosed);
  }
}

TEST_F(Closing, MessagesThatNobodyReceivesDoNotHoldItUp) {
  for (int i = 0; i < 50; ++i) send(0, 1, 900);
  job->settle();
  job->close(1);
  job->close(0);
}

}  // namespace
}  // namespace lintel::testing
