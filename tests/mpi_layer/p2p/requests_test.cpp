// Requests: persistent ones, errors that are refused, and the calls that take several.

#include <array>

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

using mpi::MessageRequest;
using mpi::Messenger;

class Requests : public P2pTest {
 protected:
  Requests() { start(); }
  // Before the first exchange nothing leaves at once.
  void connect() {
    EXPECT_TRUE(arrived(send(0, 1, 8, {.tag = 1000}), receive(1, 0, 8, {.tag = 1000})));
  }
};

TEST_F(Requests, PersistentOnesAreStartedAgainAndAgain) {
  for (const std::uint64_t length : {100U, 5000U}) {
    Transfer& sent = message(0, length);
    Transfer& received = message(1, length);
    ASSERT_EQ(
        at(0).init_send({sent.buffer.data(), length, 1, 1, 5, SendMode::kStandard}, sent.as_send()),
        CallError::kNone);
    ASSERT_EQ(at(1).init_receive({received.buffer.data(), length, kAnySource, 1, 5},
                                 received.as_receive()),
              CallError::kNone);
    EXPECT_FALSE(sent.request().active());
    EXPECT_TRUE(ended(sent));  // not active: nothing to wait for
    for (int round = 0; round < 5; ++round) {
      std::fill(sent.buffer.begin(), sent.buffer.end(), static_cast<std::byte>(round));
      ASSERT_EQ(at(1).start(received.request()), CallError::kNone);
      EXPECT_EQ(at(1).start(received.request()), CallError::kRequest);
      ASSERT_EQ(at(0).start(sent.request()), CallError::kNone);
      EXPECT_TRUE(arrived(sent, received)) << round;
    }
  }
}

// In the order in which they end, each once. A reported request is inactive.
TEST_F(Requests, TheEndsOfAllAreListed) {
  MessengerJobOptions options;
  options.messenger.list_completed = true;
  start(options);
  std::array<MessageRequest*, 2> ended{};
  Transfer& first = receive(1, 0, 100, {.tag = 1});
  Transfer& second = receive(1, 0, 5000, {.tag = 2});
  Transfer& third = receive(1, 0, 100, {.tag = 3});
  EXPECT_EQ(at(1).take_completed(ended), 0U);
  send(0, 1, 100, {.tag = 3});
  job->settle();
  send(0, 1, 5000, {.tag = 2});
  job->settle();
  send(0, 1, 100, {.tag = 1});
  job->settle();
  ASSERT_EQ(at(1).take_completed(ended), 2U);
  EXPECT_EQ(ended[0], &third.request());
  EXPECT_EQ(ended[1], &second.request());
  EXPECT_FALSE(second.request().active());
  EXPECT_TRUE(first.request().active());
  ASSERT_EQ(as(1).take_completed(ended), 1U);
  EXPECT_EQ(ended[0], &first.request());
  EXPECT_EQ(first.result().length, 100U);
  EXPECT_EQ(at(1).take_completed(ended), 0U);
}

// An end that a test has reported is not reported again.
TEST_F(Requests, AnEndIsToldOnce) {
  MessengerJobOptions options;
  options.messenger.list_completed = true;
  start(options);
  Transfer& sent = send(0, 1, 100);
  std::array<MessageRequest*, 2> ended{};
  EXPECT_TRUE(this->ended(sent));
  EXPECT_EQ(at(0).take_completed(ended), 0U);
}

TEST_F(Requests, MistakesAreRefusedAndChangeNothing) {
  mpi::SendRequest sent;
  mpi::ReceiveRequest received;
  std::byte byte{};
  EXPECT_EQ(at(0).send({&byte, 1, 2, 1, 5}, sent), CallError::kProcess);
  EXPECT_EQ(at(0).send({&byte, 1, kAnySource, 1, 5}, sent), CallError::kProcess);
  EXPECT_EQ(at(0).send({&byte, 1, 1, mpi::kMaxContext + 1, 5}, sent), CallError::kContext);
  EXPECT_EQ(at(0).send({&byte, 1, 1, 1, kAnyTag}, sent), CallError::kTag);
  EXPECT_EQ(at(0).send({&byte, mpi::kMaxLength + 1, 1, 1, 5}, sent), CallError::kLength);
  EXPECT_EQ(at(0).receive({&byte, 1, 2, 1, 5}, received), CallError::kProcess);
  EXPECT_EQ(at(0).start(sent), CallError::kRequest);
  EXPECT_EQ(at(0).start(received), CallError::kRequest);
  mpi::MatchedMessage none;
  EXPECT_EQ(at(0).receive_matched(none, &byte, 1, received), CallError::kMessage);
  EXPECT_FALSE(sent.active() || received.active());
  Transfer& posted = receive(0, 1, 8);
  EXPECT_EQ(at(0).receive({&byte, 1, 1, 1, 5}, posted.as_receive()), CallError::kRequest);
  EXPECT_TRUE(arrived(send(1, 0, 8), posted));
}

// ---- Calls for one message that need no request, or wait for their own

TEST_F(Requests, SendsAtOnceArriveInOrderWithAllOthers) {
  connect();
  std::vector<Transfer*> sent;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::uint64_t length = i % 3 == 1 ? 5000 : i;
    if (i % 3 != 0) {
      sent.push_back(&send(0, 1, length));
      continue;
    }
    sent.push_back(&message(0, length));
    ASSERT_TRUE(at(0).send_at_once({sent.back()->buffer.data(), length, 1, 1, 5,
                                    i % 2 == 0 ? SendMode::kStandard : SendMode::kReady}))
        << i;
  }
  for (Transfer* const one : sent) {
    Transfer& received = receive(1, 0, 5000);
    job->settle();
    ASSERT_TRUE(ended(received));
    EXPECT_EQ(received.result().length, one->buffer.size());
    EXPECT_TRUE(std::equal(one->buffer.begin(), one->buffer.end(), received.buffer.begin()));
  }
}

TEST_F(Requests, NothingLeavesAtOnceBeforeWhatWaitsForTheConnection) {
  Transfer& first = send(0, 1, 8);
  const std::byte byte{};
  EXPECT_FALSE(at(0).send_at_once({&byte, 1, 1, 1, 5}));
  EXPECT_TRUE(arrived(first, receive(1, 0, 8)));
  EXPECT_TRUE(at(0).send_at_once({&byte, 1, 1, 1, 5}));
}

TEST_F(Requests, ASendAtOnceLeavesItsMemoryToTheCaller) {
  Transfer& received = receive(1, 0, 8);
  std::vector<std::byte> buffer(8, std::byte{7});
  ASSERT_TRUE(at(0).send_at_once({buffer.data(), 8, 1, 1, 5}));
  std::fill(buffer.begin(), buffer.end(), std::byte{9});
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.buffer, std::vector<std::byte>(8, std::byte{7}));
}

TEST_F(Requests, WhatCannotLeaveAtOnceIsNotSent) {
  std::vector<std::byte> buffer(kEager + 1);
  EXPECT_FALSE(at(0).send_at_once({buffer.data(), 1, 2, 1, 5}));
  EXPECT_FALSE(at(0).send_at_once({buffer.data(), 1, kProcNull, 1, 5}));
  EXPECT_FALSE(at(0).send_at_once({buffer.data(), 1, 1, mpi::kMaxContext + 1, 5}));
  EXPECT_FALSE(at(0).send_at_once({buffer.data(), 1, 1, 1, kAnyTag}));
  EXPECT_FALSE(at(0).send_at_once({buffer.data(), kEager + 1, 1, 1, 5}));
  EXPECT_FALSE(at(0).send_at_once({buffer.data(), 1, 1, 1, 5, SendMode::kSynchronous}));
  job->settle();
  bool found = true;
  mpi::MessageResult envelope;
  EXPECT_EQ(at(1).iprobe({0, 1, kAnyTag}, found, envelope), CallError::kNone);
  EXPECT_FALSE(found);
  EXPECT_TRUE(arrived(send(0, 1, 8), receive(1, 0, 8)));
}

TEST_F(Requests, ASendAtOnceOvertakesNoneThatWaitForCredit) {
  MessengerJobOptions options;
  options.messenger.unexpected_headers = options.messenger.least_headers = 4;
  start(options);
  connect();
  std::vector<Transfer*> sent;
  for (int i = 0; i < 20; ++i) {
    sent.push_back(&message(0, 8));
    const mpi::SendArguments arguments{sent.back()->buffer.data(), 8, 1, 1, 5, SendMode::kStandard};
    const bool left = at(0).send_at_once(arguments);
    EXPECT_EQ(left, i < 4) << i;
    if (!left) {
      ASSERT_EQ(at(0).send(arguments, sent.back()->as_send()), CallError::kNone);
    }
  }
  for (Transfer* const one : sent) {
    Transfer& received = receive(1, 0, 8);
    job->settle();
    ASSERT_TRUE(ended(received));
    EXPECT_EQ(received.buffer, one->buffer);
    EXPECT_TRUE(ended(*one));
  }
  Transfer& last = message(0, 8);
  EXPECT_TRUE(at(0).send_at_once({last.buffer.data(), 8, 1, 1, 6}));  // credit is back
}

TEST_F(Requests, AReceiveThatWaitsHasItsMessageWhereverItIs) {
  for (const std::uint64_t length : {0U, 8U, 5000U}) {
    for (const bool is_early : {true, false}) {
      Transfer& sent = message(0, length);
      Transfer& received = message(1, length + 1);
      ASSERT_EQ(at(0).send({sent.buffer.data(), length, 1, 1, 5}, sent.as_send()),
                CallError::kNone);
      if (is_early) job->settle();
      ASSERT_EQ(as(1).receive_and_wait({received.buffer.data(), length + 1, kAnySource, 1, kAnyTag},
                                       received.as_receive()),
                CallError::kNone);
      EXPECT_FALSE(received.request().active());
      EXPECT_EQ(received.result().failure, RequestFailure::kNone);
      EXPECT_EQ(received.result().source, 0);
      EXPECT_EQ(received.result().tag, 5);
      ASSERT_EQ(received.result().length, length);
      EXPECT_TRUE(std::equal(sent.buffer.begin(), sent.buffer.end(), received.buffer.begin()));
      job->settle();
      EXPECT_TRUE(ended(sent));
    }
  }
}

TEST_F(Requests, AReceiveThatWaitsEndsAsOthersDo) {
  mpi::ReceiveRequest request;
  std::byte byte{};
  EXPECT_EQ(as(1).receive_and_wait({&byte, 1, 2, 1, 5}, request), CallError::kProcess);
  EXPECT_FALSE(request.active());
  ASSERT_EQ(as(1).receive_and_wait({&byte, 1, kProcNull, 1, 5}, request), CallError::kNone);
  EXPECT_EQ(request.result().source, kProcNull);
  send(0, 1, 8);
  ASSERT_EQ(as(1).receive_and_wait({&byte, 1, 0, 1, 5}, request), CallError::kNone);
  EXPECT_EQ(request.result().failure, RequestFailure::kTruncated);
  EXPECT_FALSE(request.active());
  Transfer& posted = receive(1, 0, 8);
  EXPECT_EQ(as(1).receive_and_wait({&byte, 1, 0, 1, 5}, posted.as_receive()), CallError::kRequest);
  EXPECT_TRUE(arrived(send(0, 1, 8), posted));
}

TEST_F(Requests, OneMessengerToAProcess) {
  std::string explanation;
  EXPECT_EQ(Messenger::open(job->processes().process(0), {}, explanation), nullptr);
  EXPECT_FALSE(explanation.empty());
}

TEST_F(Requests, WaitAnyTellsOfEachOnce) {
  Transfer& five = receive(1, 0, 8, {.tag = 5});
  Transfer& six = receive(1, 0, 8, {.tag = 6});
  const std::vector<MessageRequest*> all{nullptr, &five.request(), &six.request()};
  std::size_t index = 99;
  EXPECT_FALSE(at(1).test_any(all, index));
  send(0, 1, 8, {.tag = 6});
  EXPECT_EQ(as(1).wait_any(all), 2U);
  EXPECT_FALSE(six.request().active());
  send(0, 1, 8, {.tag = 5});
  EXPECT_EQ(as(1).wait_any(all), 1U);
  EXPECT_EQ(as(1).wait_any(all), Messenger::kNone);
  EXPECT_TRUE(at(1).test_any(all, index));
  EXPECT_EQ(index, Messenger::kNone);
}

TEST_F(Requests, WaitSomeTellsOfAllThatAreComplete) {
  std::vector<Transfer*> received;
  std::vector<MessageRequest*> all;
  for (std::int32_t tag = 0; tag < 4; ++tag) {
    received.push_back(&receive(1, 0, 8, {.tag = tag}));
    all.push_back(&received.back()->request());
  }
  std::vector<std::size_t> indices(4);
  EXPECT_EQ(at(1).test_some(all, indices), 0U);
  send(0, 1, 8, {.tag = 1});
  send(0, 1, 8, {.tag = 3});
  job->settle();
  EXPECT_EQ(as(1).wait_some(all, indices), 2U);
  EXPECT_EQ(indices[0], 1U);
  EXPECT_EQ(indices[1], 3U);
  send(0, 1, 8, {.tag = 0});
  EXPECT_EQ(as(1).wait_some(all, indices), 1U);
  EXPECT_EQ(indices[0], 0U);
  send(0, 1, 8, {.tag = 2});
  job->settle();
  EXPECT_EQ(at(1).test_some(all, indices), 1U);
  EXPECT_EQ(at(1).test_some(all, indices), Messenger::kNone);
}

TEST_F(Requests, TestAllTellsOfNoneUntilAllAreComplete) {
  Transfer& five = receive(1, 0, 8, {.tag = 5});
  Transfer& six = receive(1, 0, 5000, {.tag = 6});
  const std::vector<MessageRequest*> all{&five.request(), nullptr, &six.request()};
  send(0, 1, 8, {.tag = 5});
  job->settle();
  EXPECT_FALSE(at(1).test_all(all));
  EXPECT_TRUE(five.request().active());
  send(0, 1, 5000, {.tag = 6});
  as(1).wait_all(all);
  EXPECT_FALSE(five.request().active());
  EXPECT_FALSE(six.request().active());
  EXPECT_TRUE(at(1).test_all(all));
}

}  // namespace
}  // namespace lintel::testing
