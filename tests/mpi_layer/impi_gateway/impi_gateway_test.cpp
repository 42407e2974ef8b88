// Messages between processes of two jobs: what MPI guarantees for them, in whatever packets they
// travel.

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "tests/mpi_layer/impi_gateway/two_jobs.h"

namespace lintel::testing {
namespace {

using mpi::CallError;
using mpi::kAnySource;
using mpi::kAnyTag;
using mpi::MatchedMessage;
using mpi::MessageRequest;
using mpi::MessageResult;
using mpi::RequestFailure;
using mpi::SendMode;

constexpr std::int32_t kThere = TwoJobs::kThere;
constexpr std::uint32_t kContext = 4;

class ImpiCrossing : public ::testing::Test {
 protected:
  struct Sent {
    std::vector<std::byte> bytes;
    mpi::SendRequest request;
  };
  struct Received {
    std::vector<std::byte> bytes;
    mpi::ReceiveRequest request;
    const MessageResult& result() const { return request.result(); }
  };

  Sent& send(std::size_t from, std::size_t length, std::int32_t tag = 5,
             SendMode mode = SendMode::kStandard) {
    Sent& made = sent_.emplace_back();
    made.bytes.resize(length);
    for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(random_());
    EXPECT_EQ(
        jobs.at(from).send({made.bytes.data(), length, kThere, kContext, tag, mode}, made.request),
        CallError::kNone);
    return made;
  }
  Received& receive(std::size_t at, std::size_t capacity, std::int32_t tag = 5,
                    std::int32_t source = kThere) {
    Received& made = received_.emplace_back();
    made.bytes.resize(capacity);
    EXPECT_EQ(
        jobs.at(at).receive({made.bytes.data(), capacity, source, kContext, tag}, made.request),
        CallError::kNone);
    return made;
  }
  bool ended(std::size_t at, MessageRequest& request) { return jobs.at(at).test(request); }
  // Both requests are complete, and what was sent was received.
  void expect_passed(std::size_t from, Sent& sent, Received& received) {
    jobs.settle();
    ASSERT_TRUE(ended(1 - from, received.request));
    ASSERT_TRUE(ended(from, sent.request));
    EXPECT_EQ(received.result().source, kThere);
    EXPECT_EQ(received.result().length, sent.bytes.size());
    EXPECT_EQ(received.result().failure, RequestFailure::kNone);
    EXPECT_EQ(received.bytes, sent.bytes);
  }

 private:
  std::mt19937 random_{7};
  std::deque<Sent> sent_;
  std::deque<Received> received_;

 protected:
  TwoJobs jobs;  // destroyed before the requests
};

TEST_F(ImpiCrossing, MessagesOfAllLengthsAndModesPassToReceivesThatWait) {
  for (const std::size_t length : {0U, 1U, 999U, 1000U, 1001U, 2000U, 54'321U}) {
    for (const SendMode mode :
         {SendMode::kStandard, SendMode::kSynchronous, SendMode::kReady, SendMode::kBuffered}) {
      Received& received = receive(1, length);
      expect_passed(0, send(0, length, 5, mode), received);
    }
  }
}

TEST_F(ImpiCrossing, MessagesOfAllLengthsAndModesWaitForTheirReceives) {
  for (const std::size_t length : {0U, 1U, 999U, 1000U, 1001U, 2000U, 54'321U}) {
    for (const SendMode mode :
         {SendMode::kStandard, SendMode::kSynchronous, SendMode::kReady, SendMode::kBuffered}) {
      Sent& sent = send(1, length, 5, mode);
      jobs.settle();
      expect_passed(1, sent, receive(0, length));
    }
  }
}

TEST_F(ImpiCrossing, AShortStandardSendIsCompleteAtOnceAndASynchronousOneWhenItIsReceived) {
  EXPECT_TRUE(ended(0, send(0, 1000).request));
  Sent& synchronous = send(0, 8, 6, SendMode::kSynchronous);
  Sent& is_long = send(0, 1001, 7);
  jobs.settle();
  EXPECT_FALSE(ended(0, synchronous.request));
  EXPECT_FALSE(ended(0, is_long.request));
  expect_passed(0, is_long, receive(1, 1001, 7));
  EXPECT_FALSE(ended(0, synchronous.request));
  expect_passed(0, synchronous, receive(1, 8, 6));
}

TEST_F(ImpiCrossing, MessagesOfOneSenderAreMatchedInTheirOrderWhateverTheirLength) {
  std::vector<Sent*> sent;
  for (const std::size_t length : {5000U, 8U, 3000U, 0U, 1000U}) sent.push_back(&send(0, length));
  for (Sent* one : sent) {
    Received& received = receive(1, one->bytes.size(), kAnyTag, kAnySource);
    expect_passed(0, *one, received);
  }
}

TEST_F(ImpiCrossing, ShortMessagesPassALongOneThatWaitsToBeReceived) {
  Sent& is_long = send(0, 50'000, 1);
  Sent& is_short = send(0, 8, 2);
  expect_passed(0, is_short, receive(1, 8, 2));
  expect_passed(0, is_long, receive(1, 50'000, 1));
}

TEST_F(ImpiCrossing, BothSidesSendLongMessagesBeforeTheyReceive) {
  Sent& one = send(0, 100'000);
  Sent& other = send(1, 100'000);
  jobs.settle();
  Received& first = receive(1, 100'000);
  Received& second = receive(0, 100'000);
  expect_passed(0, one, first);
  expect_passed(1, other, second);
}

TEST_F(ImpiCrossing, AShorterBufferGetsTheBeginning) {
  for (const std::size_t length : {900U, 5000U}) {
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{10}, length - 1}) {
      Sent& sent = send(0, length, 5, SendMode::kSynchronous);
      Received& received = receive(1, capacity);
      jobs.settle();
      ASSERT_TRUE(ended(1, received.request));
      EXPECT_TRUE(ended(0, sent.request));
      EXPECT_EQ(received.result().failure, RequestFailure::kTruncated);
      EXPECT_EQ(received.result().length, length);
      EXPECT_TRUE(std::equal(received.bytes.begin(), received.bytes.end(), sent.bytes.begin()));
    }
  }
}

TEST_F(ImpiCrossing, AProbeSeesTheWholeLength) {
  send(0, 5000, 9);
  jobs.settle();
  bool found = false;
  MessageResult envelope;
  EXPECT_EQ(jobs.at(1).iprobe({kAnySource, kContext, kAnyTag}, found, envelope), CallError::kNone);
  ASSERT_TRUE(found);
  EXPECT_EQ(envelope.source, kThere);
  EXPECT_EQ(envelope.tag, 9);
  EXPECT_EQ(envelope.length, 5000U);
  receive(1, 5000, 9);
  jobs.settle();
}

TEST_F(ImpiCrossing, AMatchedMessageIsReceivedLater) {
  for (const std::size_t length : {8U, 5000U}) {
    Sent& sent = send(0, length, 5, SendMode::kSynchronous);
    jobs.settle();
    MatchedMessage message;
    EXPECT_EQ(jobs.at(1).improbe({kThere, kContext, 5}, message), CallError::kNone);
    ASSERT_TRUE(message);
    jobs.settle();
    EXPECT_FALSE(ended(0, sent.request));
    std::vector<std::byte> bytes(length);
    mpi::ReceiveRequest request;
    EXPECT_EQ(jobs.at(1).receive_matched(message, bytes.data(), length, request), CallError::kNone);
    jobs.settle();
    EXPECT_TRUE(ended(1, request));
    EXPECT_TRUE(ended(0, sent.request));
    EXPECT_EQ(bytes, sent.bytes);
  }
}

TEST_F(ImpiCrossing, CancelTakesBackWhatNobodyHasReceived) {
  for (const std::size_t length : {8U, 5000U}) {
    Sent& sent = send(0, length, 5, SendMode::kSynchronous);
    jobs.settle();
    jobs.at(0).cancel(sent.request);
    jobs.settle();
    ASSERT_TRUE(ended(0, sent.request));
    EXPECT_TRUE(sent.request.result().cancelled);
    Received& received = receive(1, length);
    jobs.settle();
    EXPECT_FALSE(ended(1, received.request));
    expect_passed(0, send(0, length), received);
  }
}

TEST_F(ImpiCrossing, CancelOfWhatAReceiveHasGotIsTooLate) {
  Received& received = receive(1, 5000);
  Sent& sent = send(0, 5000);
  jobs.at(0).cancel(sent.request);
  expect_passed(0, sent, received);
  EXPECT_FALSE(sent.request.result().cancelled);
}

TEST_F(ImpiCrossing, CancelOfWhatAMatchedProbeHasGotIsTooLate) {
  Sent& sent = send(0, 8, 5, SendMode::kSynchronous);
  jobs.settle();
  MatchedMessage message;
  EXPECT_EQ(jobs.at(1).improbe({kThere, kContext, 5}, message), CallError::kNone);
  jobs.at(0).cancel(sent.request);
  jobs.settle();
  EXPECT_FALSE(ended(0, sent.request));
  std::vector<std::byte> bytes(8);
  mpi::ReceiveRequest request;
  EXPECT_EQ(jobs.at(1).receive_matched(message, bytes.data(), 8, request), CallError::kNone);
  jobs.settle();
  EXPECT_TRUE(ended(1, request));
  EXPECT_TRUE(ended(0, sent.request));
  EXPECT_FALSE(sent.request.result().cancelled);
}

TEST_F(ImpiCrossing, ACancelledReceiveLeavesItsMessageToOthers) {
  Received& given_up = receive(1, 8);
  jobs.at(1).cancel(given_up.request);
  EXPECT_TRUE(ended(1, given_up.request));
  EXPECT_TRUE(given_up.result().cancelled);
  expect_passed(0, send(0, 8), receive(1, 8));
}

TEST_F(ImpiCrossing, MoreMessagesThanTheListHasRoomForWaitInOrder) {
  constexpr std::int32_t kMessages = 500;  // more than the 64 that the list has room for
  std::vector<Sent*> sent;
  for (std::int32_t i = 0; i < kMessages; ++i)
    sent.push_back(&send(0, static_cast<std::size_t>(i), i));
  jobs.settle();
  for (std::int32_t i = 0; i < kMessages; ++i) {
    Received& received = receive(1, static_cast<std::size_t>(i), kAnyTag);
    jobs.settle();
    ASSERT_TRUE(ended(1, received.request)) << i;
    ASSERT_EQ(received.result().tag, i);
    ASSERT_EQ(received.bytes, sent[static_cast<std::size_t>(i)]->bytes);
    EXPECT_TRUE(ended(0, sent[static_cast<std::size_t>(i)]->request));
  }
}

TEST_F(ImpiCrossing, AWithdrawnMessageThatHadNoRoomIsNeverDelivered) {
  std::vector<Sent*> sent;
  for (std::int32_t i = 0; i < 100; ++i) sent.push_back(&send(0, 8, i, SendMode::kSynchronous));
  jobs.settle();
  jobs.at(0).cancel(sent.back()->request);
  jobs.settle();
  ASSERT_TRUE(ended(0, sent.back()->request));
  EXPECT_TRUE(sent.back()->request.result().cancelled);
  for (std::int32_t i = 0; i < 99; ++i)
    expect_passed(0, *sent[static_cast<std::size_t>(i)], receive(1, 8, i));
  Received& none = receive(1, 8, 99);
  jobs.settle();
  EXPECT_FALSE(ended(1, none.request));
}

TEST_F(ImpiCrossing, AMessageThatNoReceiveCouldAskForIsDropped) {
  mpi::impi::Packet packet;
  packet.source = {mpi::impi::host_id_of(0x7f000001), 100};
  packet.destination = {mpi::impi::host_id_of(0x7f000001), 101};
  packet.context = std::uint64_t{mpi::kMaxContext} + 1;
  EXPECT_TRUE(jobs.on_packet(1, packet).ok());
  packet.context = 0;
  packet.tag = mpi::kAnyTag;
  EXPECT_TRUE(jobs.on_packet(1, packet).ok());
  packet.tag = 1;
  packet.source.pid = 7;
  EXPECT_TRUE(jobs.on_packet(1, packet).ok());
  bool found = true;
  MessageResult envelope;
  EXPECT_EQ(jobs.at(1).iprobe({kAnySource, 0, kAnyTag}, found, envelope), CallError::kNone);
  EXPECT_FALSE(found);
}

TEST_F(ImpiCrossing, AShortSendWaitsForTheWayWhenThatTakesNoMore) {
  std::vector<Sent*> sent;
  for (std::int32_t i = 0; i < 10; ++i) sent.push_back(&send(0, 8, i));
  EXPECT_TRUE(ended(0, sent.front()->request));
  EXPECT_FALSE(ended(0, sent.back()->request));
  EXPECT_FALSE(jobs.idle(0));
  jobs.at(0).cancel(sent.back()->request);
  jobs.settle();
  EXPECT_TRUE(jobs.idle(0));
  EXPECT_TRUE(ended(0, sent.back()->request));
  EXPECT_FALSE(sent.back()->request.result().cancelled);
  for (std::int32_t i = 0; i < 10; ++i) EXPECT_TRUE(ended(1, receive(1, 8, i).request));
}

TEST_F(ImpiCrossing, IsQuietWhenNothingItHasSentWaits) {
  EXPECT_TRUE(jobs.idle(0));
  Sent& sent = send(0, 5000);
  EXPECT_FALSE(jobs.idle(0));
  expect_passed(0, sent, receive(1, 5000));
  EXPECT_TRUE(jobs.idle(0));
}

}  // namespace
}  // namespace lintel::testing
