// A cancelled request ends in one of two ways, and a wait for it returns.

#include <random>

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class Cancel : public P2pTest {
 protected:
  Cancel() { start(); }
  void cancel(Transfer& transfer) { at(transfer.rank).cancel(transfer.request()); }
};

TEST_F(Cancel, ReceiveThatIsNotMatchedIsCancelledAtOnce) {
  for (const std::int32_t source : {std::int32_t{0}, kAnySource}) {
    Transfer& received = receive(1, source, 8);
    cancel(received);
    EXPECT_TRUE(ended(received));
    EXPECT_TRUE(received.result().cancelled);
    // Its message goes to the next one.
    EXPECT_TRUE(arrived(send(0, 1, 8), receive(1, source, 8)));
  }
}

TEST_F(Cancel, ReceiveThatIsMatchedIsNotCancelled) {
  for (const std::uint64_t length : {8U, 50'000U}) {
    Transfer& received = receive(1, 0, length);
    Transfer& sent = send(0, 1, length);
    job->run(30us);
    at(1).progress();
    cancel(received);
    job->settle();
    ASSERT_TRUE(ended(received));
    if (received.result().cancelled) {
      EXPECT_TRUE(arrived(sent, receive(1, 0, length)));
    } else {
      EXPECT_TRUE(ended(sent));
      EXPECT_TRUE(same(sent, received));
    }
  }
}

class CancelSend : public Cancel,
                   public ::testing::WithParamInterface<std::tuple<SendMode, std::uint64_t>> {
 protected:
  With with() const { return {.mode = std::get<0>(GetParam())}; }
  std::uint64_t length() const { return std::get<1>(GetParam()); }
  bool gone_at_once() const { return with().mode == SendMode::kStandard && length() <= kEager; }
};

TEST_P(CancelSend, TakesBackWhatNobodyHasReceived) {
  Transfer& sent = send(0, 1, length(), with());
  job->settle();
  cancel(sent);
  job->settle();
  ASSERT_TRUE(ended(sent));
  EXPECT_EQ(sent.result().cancelled, !gone_at_once());
  bool found = false;
  mpi::MessageResult envelope;
  EXPECT_EQ(at(1).iprobe({0, 1, 5}, found, envelope), CallError::kNone);
  EXPECT_EQ(found, gone_at_once());
}

TEST_P(CancelSend, TakesBackTheMessageThatWasMeant) {
  Transfer& first = send(0, 1, length(), with());
  Transfer& second = send(0, 1, length(), with());
  Transfer& third = send(0, 1, length(), with());
  cancel(second);
  job->settle();
  ASSERT_TRUE(ended(second));
  EXPECT_TRUE(arrived(first, receive(1, 0, length())));
  if (gone_at_once()) {
    receive(1, 0, length());
  }
  EXPECT_TRUE(arrived(third, receive(1, 0, length())));
}

TEST_P(CancelSend, ComesTooLateForWhatIsReceived) {
  Transfer& received = receive(1, 0, length());
  Transfer& sent = send(0, 1, length(), with());
  job->settle();
  cancel(sent);
  EXPECT_TRUE(arrived(sent, received));
  EXPECT_FALSE(sent.result().cancelled);
}

// At every step of a transfer: either it is cancelled and the receive gets the next message, or it
// arrives.
TEST_P(CancelSend, RacesWithTheReceive) {
  int cancelled = 0;
  for (int step = 0; step < 60; ++step) {
    MessengerJobOptions options;
    options.network.seed = static_cast<std::uint64_t>(step + 1);
    start(options);
    Transfer& sent = send(0, 1, length(), with());
    job->run(std::chrono::microseconds(step));
    Transfer& received = receive(1, kAnySource, length());
    if (step % 2 == 0) job->run(std::chrono::microseconds(step / 2));
    cancel(sent);
    as(0).wait(sent.request());
    if (sent.result().cancelled) {
      ++cancelled;
      EXPECT_TRUE(arrived(send(0, 1, length()), received)) << step;
    } else {
      job->settle();
      EXPECT_TRUE(ended(received)) << step;
      EXPECT_TRUE(same(sent, received)) << step;
    }
  }
  if (gone_at_once()) {
    EXPECT_EQ(cancelled, 0);
  }
}

TEST_P(CancelSend, OfAMessageToOneselfIsDecidedAtOnce) {
  Transfer& sent = send(0, 0, length(), with());
  cancel(sent);
  ASSERT_TRUE(at(0).test(sent.request()));
  EXPECT_EQ(sent.result().cancelled, !gone_at_once());
  Transfer& received = receive(0, 0, length());
  Transfer& next = send(0, 0, length());
  EXPECT_TRUE(arrived(sent.result().cancelled ? next : sent, received));
  if (!sent.result().cancelled) receive(0, 0, length());
  job->settle();
}

TEST_P(CancelSend, OfAMessageToOneselfThatIsReceivedComesTooLate) {
  Transfer& received = receive(0, 0, length());
  Transfer& sent = send(0, 0, length(), with());
  cancel(sent);
  EXPECT_TRUE(arrived(sent, received));
  EXPECT_FALSE(sent.result().cancelled);
}

INSTANTIATE_TEST_SUITE_P(AllOfThem, CancelSend,
                         ::testing::Combine(::testing::Values(SendMode::kStandard,
                                                              SendMode::kSynchronous),
                                            ::testing::Values(0, 8, 1024, 1025, 50'000)));

TEST_F(Cancel, PersistentRequestMayBeStartedAgain) {
  Transfer& received = message(1, 100);
  ASSERT_EQ(
      at(1).init_receive({received.buffer.data(), 100, kAnySource, 1, 5}, received.as_receive()),
      CallError::kNone);
  ASSERT_EQ(at(1).start(received.request()), CallError::kNone);
  cancel(received);
  EXPECT_TRUE(ended(received));
  EXPECT_TRUE(received.result().cancelled);
  ASSERT_EQ(at(1).start(received.request()), CallError::kNone);
  EXPECT_TRUE(arrived(send(0, 1, 100), received));
  EXPECT_FALSE(received.result().cancelled);
}

}  // namespace
}  // namespace lintel::testing
