// Requests: persistent ones, the mistakes that are refused, and the calls that look at several.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

using mpi::Messenger;
using mpi::Request;

class Requests : public P2pTest {
 protected:
  Requests() { start(); }
};

TEST_F(Requests, PersistentOnesAreStartedAgainAndAgain) {
  for (const std::uint64_t length : {100U, 5000U}) {
    Transfer& sent = message(0, length);
    Transfer& received = message(1, length);
    ASSERT_EQ(at(0).init_send({sent.buffer.data(), length, 1, 1, 5, SendMode::kStandard}, sent.request), Refusal::kNone);
    ASSERT_EQ(at(1).init_receive({received.buffer.data(), length, kAnySource, 1, 5}, received.request), Refusal::kNone);
    EXPECT_FALSE(sent.request.active());
    EXPECT_TRUE(ended(sent));  // not active: nothing to wait for
    for (int round = 0; round < 5; ++round) {
      std::fill(sent.buffer.begin(), sent.buffer.end(), static_cast<std::byte>(round));
      ASSERT_EQ(at(1).start(received.request), Refusal::kNone);
      EXPECT_EQ(at(1).start(received.request), Refusal::kRequest);
      ASSERT_EQ(at(0).start(sent.request), Refusal::kNone);
      EXPECT_TRUE(arrived(sent, received)) << round;
    }
  }
}

TEST_F(Requests, MistakesAreRefusedAndChangeNothing) {
  Request request;
  std::byte byte{};
  EXPECT_EQ(at(0).send({&byte, 1, 2, 1, 5}, request), Refusal::kProcess);
  EXPECT_EQ(at(0).send({&byte, 1, kAnySource, 1, 5}, request), Refusal::kProcess);
  EXPECT_EQ(at(0).send({&byte, 1, 1, mpi::kMaxContext + 1, 5}, request), Refusal::kContext);
  EXPECT_EQ(at(0).send({&byte, 1, 1, 1, kAnyTag}, request), Refusal::kTag);
  EXPECT_EQ(at(0).send({&byte, mpi::kMaxLength + 1, 1, 1, 5}, request), Refusal::kLength);
  EXPECT_EQ(at(0).receive({&byte, 1, 2, 1, 5}, request), Refusal::kProcess);
  EXPECT_EQ(at(0).start(request), Refusal::kRequest);
  mpi::MatchedMessage none;
  EXPECT_EQ(at(0).receive_matched(none, &byte, 1, request), Refusal::kMessage);
  EXPECT_FALSE(request.active());
  Transfer& posted = receive(0, 1, 8);
  EXPECT_EQ(at(0).receive({&byte, 1, 1, 1, 5}, posted.request), Refusal::kRequest);
  EXPECT_TRUE(arrived(send(1, 0, 8), posted));
}

TEST_F(Requests, OneMessengerToAProcess) {
  std::string explanation;
  EXPECT_EQ(Messenger::open(job->processes().process(0), {}, explanation), nullptr);
  EXPECT_FALSE(explanation.empty());
}

TEST_F(Requests, WaitAnyTellsOfEachOnce) {
  Transfer& five = receive(1, 0, 8, {.tag = 5});
  Transfer& six = receive(1, 0, 8, {.tag = 6});
  const std::vector<Request*> all{nullptr, &five.request, &six.request};
  std::size_t index = 99;
  EXPECT_FALSE(at(1).test_any(all, index));
  send(0, 1, 8, {.tag = 6});
  EXPECT_EQ(as(1).wait_any(all), 2U);
  EXPECT_FALSE(six.request.active());
  send(0, 1, 8, {.tag = 5});
  EXPECT_EQ(as(1).wait_any(all), 1U);
  EXPECT_EQ(as(1).wait_any(all), Messenger::kNone);
  EXPECT_TRUE(at(1).test_any(all, index));
  EXPECT_EQ(index, Messenger::kNone);
}

TEST_F(Requests, WaitSomeTellsOfAllThatAreComplete) {
  std::vector<Transfer*> received;
  std::vector<Request*> all;
  for (std::int32_t tag = 0; tag < 4; ++tag) {
    received.push_back(&receive(1, 0, 8, {.tag = tag}));
    all.push_back(&received.back()->request);
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
  const std::vector<Request*> all{&five.request, nullptr, &six.request};
  send(0, 1, 8, {.tag = 5});
  job->settle();
  EXPECT_FALSE(at(1).test_all(all));
  EXPECT_TRUE(five.request.active());
  send(0, 1, 5000, {.tag = 6});
  as(1).wait_all(all);
  EXPECT_FALSE(five.request.active());
  EXPECT_FALSE(six.request.active());
  EXPECT_TRUE(at(1).test_all(all));
}

}  // namespace
}  // namespace lintel::testing
