// Long messages with eager direct placement: they land in the receive that is posted for them. If
// something else comes instead, nothing is lost, mixed up or written to the wrong place.

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

constexpr std::uint64_t kLong = 66'000;
constexpr std::uint64_t kPulled = 3'000'000;  // too long to be placed
constexpr With kAnswer{.tag = 99};
constexpr std::byte kUntouched{0};  // the initial content of buffers

class EagerPlacementTest : public P2pTest {
 protected:
  EagerPlacementTest() { start(); }

  std::uint64_t landed(std::size_t rank) {
    return job->processes().process(rank).counters().get(Counter::kPayloadsPlaced);
  }
  void start_noticing_deaths() {
    MessengerJobOptions options;
    options.session.dead_peer_deadline = 1ms;
    start(options);
  }
  // A message that finds its receive posted.
  void exchange(std::size_t from, std::size_t to, std::uint64_t length = kLong) {
    Transfer& received = receive(to, static_cast<std::int32_t>(from), length);
    EXPECT_TRUE(arrived(send(from, static_cast<std::int32_t>(to), length), received));
    answer(from, to);
  }
  // Makes the next message one that answers.
  void answer(std::size_t from = 0, std::size_t to = 1) {
    Transfer& received = receive(from, static_cast<std::int32_t>(to), 8, kAnswer);
    EXPECT_TRUE(arrived(send(to, static_cast<std::int32_t>(from), 8, kAnswer), received));
  }
  // Enables placement for the following messages.
  void enable_placement(std::size_t from = 0, std::size_t to = 1) {
    answer(from, to);
    exchange(from, to);
    exchange(from, to);
    const std::uint64_t before = landed(to);
    exchange(from, to);
    ASSERT_EQ(landed(to), before + 1);
  }
  // Lets time pass until it has ended.
  bool ends(Transfer& transfer) {
    for (int step = 0; step < 200; ++step) {
      if (ended(transfer)) return true;
      job->run(1us);
    }
    return false;
  }
  // Whether an answer lands in the receive that process 1 posts while it pulls `pulled` messages.
  bool answer_lands_behind(std::size_t pulled) {
    start();
    enable_placement();
    std::vector<Transfer*> received;
    std::vector<Transfer*> sent;
    for (std::size_t i = 0; i < pulled; ++i) received.push_back(&receive(1, 0, kPulled));
    for (std::size_t i = 0; i < pulled; ++i) sent.push_back(&send(0, 1, kPulled));
    Transfer& last = receive(1, 0, 8, kAnswer);  // has come: all have matched
    send(0, 1, 8, kAnswer);
    EXPECT_TRUE(ends(last));
    Transfer& question = receive(0, 1, 8, kAnswer);
    send(1, 0, 8, kAnswer);
    Transfer& answered = receive(1, 0, kLong);
    EXPECT_TRUE(ends(question));
    for (Transfer* one : received) EXPECT_FALSE(ended(*one));
    EXPECT_TRUE(arrived(send(0, 1, kLong), answered));
    for (std::size_t i = 0; i < pulled; ++i) EXPECT_TRUE(arrived(*sent[i], *received[i]));
    return landed(1) == 2;
  }
  static bool untouched(const Transfer& transfer, std::uint64_t from) {
    const std::byte* const first = transfer.buffer.data() + from;
    const std::size_t length = transfer.buffer.size() - from;
    return length == 0 || (*first == kUntouched && std::memcmp(first, first + 1, length - 1) == 0);
  }
};

TEST_F(EagerPlacementTest, TheThirdLongAnswerThatFindsItsReceiveLandsInIt) {
  answer();
  exchange(0, 1);
  exchange(0, 1);
  EXPECT_EQ(landed(1), 0U);
  exchange(0, 1);
  EXPECT_EQ(landed(1), 1U);
}

TEST_F(EagerPlacementTest, AMessageLongerThanTheEagerLimitDoesTheSame) {
  enable_placement();
  exchange(0, 1, 90'000);
  EXPECT_EQ(landed(1), 2U);
}

TEST_F(EagerPlacementTest, AShortMessageOrOneBeyondTheLimitIsNotPlaced) {
  enable_placement();
  exchange(0, 1, 100);
  exchange(0, 1, 3'000'000);
  EXPECT_EQ(landed(1), 1U);
  exchange(0, 1);
  EXPECT_EQ(landed(1), 2U);
}

TEST_F(EagerPlacementTest, BothWaysAtOnce) {
  enable_placement(0, 1);
  enable_placement(1, 0);
  for (int i = 0; i < 20; ++i) {
    Transfer& one = receive(0, 1, kLong);
    Transfer& other = receive(1, 0, kLong);
    Transfer& there = send(0, 1, kLong);
    Transfer& back = send(1, 0, kLong);
    EXPECT_TRUE(arrived(there, other));
    EXPECT_TRUE(arrived(back, one));
  }
  EXPECT_EQ(landed(0) + landed(1), 41U);  // the first of process 0 follows an answer of its own
}

TEST_F(EagerPlacementTest, OnlyTheFirstMessageOfAStreamIsPlaced) {
  enable_placement();
  std::vector<Transfer*> received;
  std::vector<Transfer*> sent;
  for (int i = 0; i < 10; ++i) received.push_back(&receive(1, 0, kLong));
  for (int i = 0; i < 10; ++i) sent.push_back(&send(0, 1, kLong));
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_TRUE(arrived(*sent[i], *received[i]));
  EXPECT_EQ(landed(1), 2U);
}

TEST_F(EagerPlacementTest, AStreamAloneEnablesNothing) {
  for (int i = 0; i < 10; ++i) {
    Transfer& received = receive(1, 0, kLong);
    EXPECT_TRUE(arrived(send(0, 1, kLong), received));
  }
  EXPECT_EQ(landed(1), 0U);
}

TEST_F(EagerPlacementTest, AnAnswerIsExpectedHoweverManySynchronousSendsAreUnderWay) {
  enable_placement();
  std::vector<Transfer*> sent;
  for (int i = 0; i < 10; ++i) sent.push_back(&send(1, 0, 8, {.mode = SendMode::kSynchronous}));
  job->settle();
  Transfer& received = receive(1, 0, kLong);
  EXPECT_TRUE(arrived(send(0, 1, kLong), received));
  EXPECT_EQ(landed(1), 2U);
  for (Transfer* one : sent) {
    EXPECT_FALSE(ended(*one));
    EXPECT_TRUE(arrived(*one, receive(0, 1, 8)));
  }
}

// The limit bounds the cost of a post. Seven receives that are being pulled show that the eighth
// one is the last that is looked at.
TEST_F(EagerPlacementTest, NothingIsExpectedBehindEightReceivesThatAreBeingPulled) {
  EXPECT_TRUE(answer_lands_behind(7));
  EXPECT_FALSE(answer_lands_behind(8));
}

TEST_F(EagerPlacementTest, ASendIsCompleteWhenItsBufferIsFree) {
  enable_placement();
  Transfer& received = receive(1, 0, kLong);
  Transfer& sent = send(0, 1, kLong);
  EXPECT_FALSE(ended(sent));
  const std::vector<std::byte> as_sent = sent.buffer;
  job->settle();
  ASSERT_TRUE(ended(sent));
  std::ranges::fill(sent.buffer, kUntouched);
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.buffer, as_sent);
}

TEST_F(EagerPlacementTest, AnUnexpectedMessageIsReceivedLater) {
  enable_placement();
  Transfer& sent = send(0, 1, kLong);
  job->settle();
  EXPECT_TRUE(ended(sent));
  Transfer& received = receive(1, 0, kLong);
  EXPECT_TRUE(ended(received));
  EXPECT_TRUE(same(sent, received));
  EXPECT_EQ(landed(1), 1U);
}

TEST_F(EagerPlacementTest, PlacementEndsWhenMessagesDoNotFindTheirReceives) {
  enable_placement();
  for (int i = 0; i < 6; ++i) {
    Transfer& sent = send(0, 1, kLong);
    job->settle();
    EXPECT_TRUE(arrived(sent, receive(1, 0, kLong)));
    answer();
  }
  exchange(0, 1);
  EXPECT_EQ(landed(1), 1U);
}

TEST_F(EagerPlacementTest, AReceiveFromAnySourceGetsTheMessageByACopy) {
  enable_placement();
  Transfer& any = receive(1, kAnySource, kLong);
  EXPECT_TRUE(arrived(send(0, 1, kLong), any));
  EXPECT_EQ(landed(1), 1U);
}

TEST_F(EagerPlacementTest, AReceiveFromAnySourceThatWasPostedFirstGetsTheMessage) {
  enable_placement();
  Transfer& any = receive(1, kAnySource, kLong);
  Transfer& exact = receive(1, 0, kLong);
  EXPECT_TRUE(arrived(send(0, 1, kLong), any));
  EXPECT_TRUE(untouched(exact, 0));
  EXPECT_TRUE(arrived(send(0, 1, kLong), exact));
}

TEST_F(EagerPlacementTest, AMessageOfAnotherTagGoesToItsOwnReceive) {
  enable_placement();
  Transfer& first = receive(1, 0, kLong, {.tag = 7});
  Transfer& second = receive(1, 0, kLong, {.tag = 8});
  EXPECT_TRUE(arrived(send(0, 1, kLong, {.tag = 8}), second));
  EXPECT_TRUE(untouched(first, 0));
  EXPECT_TRUE(arrived(send(0, 1, kLong, {.tag = 7}), first));
}

TEST_F(EagerPlacementTest, AShortMessageThatComesInsteadLeavesTheRestOfTheBufferAsItIs) {
  enable_placement();
  Transfer& received = receive(1, 0, kLong);
  Transfer& sent = send(0, 1, 100);
  Transfer& next = send(0, 1, kLong);
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.result().length, 100U);
  EXPECT_TRUE(std::equal(sent.buffer.begin(), sent.buffer.end(), received.buffer.begin()));
  EXPECT_TRUE(untouched(received, 100));
  EXPECT_TRUE(arrived(next, receive(1, 0, kLong)));
  EXPECT_TRUE(untouched(received, 100));
}

TEST_F(EagerPlacementTest, AShorterMessageLeavesTheRestOfTheBufferAsItIs) {
  enable_placement();
  Transfer& received = receive(1, 0, 2 * kLong);
  Transfer& sent = send(0, 1, kLong);
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(landed(1), 2U);
  EXPECT_TRUE(std::equal(sent.buffer.begin(), sent.buffer.end(), received.buffer.begin()));
  EXPECT_TRUE(untouched(received, kLong));
}

TEST_F(EagerPlacementTest, ALongerMessageIsTruncatedAndEndsNothingElse) {
  enable_placement();
  Transfer& received = receive(1, 0, 33'000);
  Transfer& sent = send(0, 1, kLong);
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.result().failure, RequestFailure::kTruncated);
  EXPECT_EQ(received.result().length, kLong);
  EXPECT_TRUE(std::equal(received.buffer.begin(), received.buffer.end(), sent.buffer.begin()));
  EXPECT_TRUE(ended(sent));
  exchange(0, 1);
}

TEST_F(EagerPlacementTest, SynchronousAndBufferedSendsKeepTheirPromises) {
  enable_placement();
  Transfer& synchronous = send(0, 1, kLong, {.mode = SendMode::kSynchronous});
  job->settle();
  EXPECT_FALSE(ended(synchronous));
  EXPECT_TRUE(arrived(synchronous, receive(1, 0, kLong)));
  Transfer& buffered = send(0, 1, kLong, {.mode = SendMode::kBuffered});
  EXPECT_TRUE(ended(buffered));
  Transfer& received = receive(1, 0, kLong);
  job->settle();
  ASSERT_TRUE(ended(received));
  EXPECT_TRUE(same(buffered, received));
}

TEST_F(EagerPlacementTest, AReceiveThatExpectsOneCanBeCancelled) {
  enable_placement();
  Transfer& cancelled = receive(1, 0, kLong);
  at(1).cancel(cancelled.request());
  EXPECT_TRUE(ended(cancelled));
  EXPECT_TRUE(cancelled.result().cancelled);
  Transfer& sent = send(0, 1, kLong);
  job->settle();
  EXPECT_TRUE(untouched(cancelled, 0));
  EXPECT_TRUE(arrived(sent, receive(1, 0, kLong)));
}

TEST_F(EagerPlacementTest, ACancelThatComesAtAnyMomentEndsOneWayOrTheOther) {
  enable_placement();
  for (int step = 0; step < 60; ++step) {
    Transfer& received = receive(1, 0, kLong);
    Transfer& sent = send(0, 1, kLong);
    job->run(Nanoseconds(step * 500));
    at(1).cancel(received.request());
    job->settle();
    ASSERT_TRUE(ended(received)) << step;
    if (received.result().cancelled) {
      EXPECT_TRUE(untouched(received, 0)) << step;
      EXPECT_TRUE(arrived(sent, receive(1, 0, kLong))) << step;
    } else {
      EXPECT_TRUE(ended(sent)) << step;
      EXPECT_TRUE(same(sent, received)) << step;
    }
    answer();
  }
}

TEST_F(EagerPlacementTest, ASendThatIsCancelledIsSentAllTheSame) {
  enable_placement();
  Transfer& received = receive(1, 0, kLong);
  Transfer& sent = send(0, 1, kLong);
  at(0).cancel(sent.request());
  EXPECT_TRUE(arrived(sent, received));
  EXPECT_FALSE(sent.result().cancelled);
}

TEST_F(EagerPlacementTest, WithoutCreditForItAMessageGoesTheLongWay) {
  MessengerJobOptions options;
  options.messenger.unexpected_bytes = 5'000'000;
  start(options);
  enable_placement();
  std::vector<Transfer*> sent;
  for (std::uint64_t bytes = 0; bytes <= at(0).window().bytes + kLong; bytes += kLong)
    sent.push_back(&send(0, 1, kLong));
  job->settle();
  EXPECT_FALSE(ended(*sent.back()));
  for (Transfer* one : sent) {
    Transfer& received = receive(1, 0, kLong);
    job->settle();
    EXPECT_TRUE(ended(received));
    EXPECT_TRUE(same(*one, received));
  }
}

TEST_F(EagerPlacementTest, AReceiverThatDiesEndsTheSend) {
  for (const transport::Death death : {transport::Death::kNoticed, transport::Death::kSilent}) {
    start_noticing_deaths();
    enable_placement();
    Transfer& sent = send(0, 1, kLong);
    job->kill(1, death);
    job->run(20ms);
    EXPECT_TRUE(ended(sent));
  }
}

TEST_F(EagerPlacementTest, ASenderThatDiesEndsTheReceiveThatExpectsOne) {
  for (const transport::Death death : {transport::Death::kNoticed, transport::Death::kSilent}) {
    start_noticing_deaths();
    enable_placement();
    Transfer& received = receive(1, 0, kLong);
    job->kill(0, death);
    job->run(20ms);
    ASSERT_TRUE(ended(received));
    EXPECT_EQ(received.result().failure, RequestFailure::kPeerLost);
    EXPECT_TRUE(untouched(received, 0));
  }
}

TEST_F(EagerPlacementTest, ClosingWithOneExpectedWaitsForNothing) {
  enable_placement();
  Transfer& received = receive(1, 0, kLong);
  job->close(1);
  EXPECT_TRUE(ended(received));
  EXPECT_TRUE(untouched(received, 0));
}

// Long and short messages of few tags, receives before and after, some from any source, some
// cancelled: each received message is whole and in order, and no other byte of a buffer is written.
class RandomEagerPlacement : public EagerPlacementTest,
                             public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  static constexpr std::size_t kTags = 3;
  static constexpr std::size_t kMostWaiting = 20;

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_()) % bound; }
  void post(std::size_t tag) {
    const std::int32_t source = below(12) == 0 ? kAnySource : 0;
    received_[tag].push_back(&receive(1, source, 90'000, {.tag = static_cast<std::int32_t>(tag)}));
  }
  void cancel_last(std::size_t tag) {
    Transfer& last = *received_[tag].back();
    at(1).cancel(last.request());
    job->settle();
    const bool over = !last.request().active() || ended(last);
    if (!over || !last.result().cancelled) return;
    EXPECT_TRUE(untouched(last, 0));
    received_[tag].pop_back();
  }
  void step() {
    const bool in_step = below(100) < 85;  // so that placement is enabled
    const std::size_t tag = below(10) < 9 ? 0 : below(kTags);
    const std::uint64_t length = below(10) < 9 ? kLong + below(20'000) : below(2'000);
    if (in_step || (below(2) == 0 && received_[tag].size() < kMostWaiting)) post(tag);
    if (!in_step && below(4) == 0 && !received_[tag].empty()) cancel_last(tag);
    if (in_step || (below(2) == 0 && sent_[tag].size() < kMostWaiting)) {
      sent_[tag].push_back(&send(0, 1, length, {.tag = static_cast<std::int32_t>(tag)}));
    }
    job->run(Nanoseconds(below(60'000)));
    if (below(10) < 8) answer();
  }
  void check_what_has_ended() {
    for (std::size_t tag = 0; tag < kTags; ++tag) {
      while (!sent_[tag].empty() && !received_[tag].empty()) {
        Transfer& from = *sent_[tag].front();
        Transfer& to = *received_[tag].front();
        if ((to.request().active() && !ended(to)) || (from.request().active() && !ended(from)))
          break;
        EXPECT_TRUE(same(from, to));
        EXPECT_TRUE(untouched(to, from.buffer.size()));
        sent_[tag].pop_front();
        received_[tag].pop_front();
        ++checked_;
      }
    }
  }

  std::mt19937 random_{GetParam()};
  std::deque<Transfer*> sent_[kTags];
  std::deque<Transfer*> received_[kTags];
  std::uint64_t checked_ = 0;
};

TEST_P(RandomEagerPlacement, EveryMessageComesWholeAndInOrder) {
  constexpr int kRounds = 20;
  constexpr int kSteps = 100;
  std::uint64_t in_place = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    MessengerJobOptions options;
    options.network.seed = random_();
    options.network.longest_delay = 50us;
    start(options);
    for (auto& waiting : sent_) waiting.clear();
    for (auto& waiting : received_) waiting.clear();
    enable_placement();
    for (int i = 0; i < kSteps; ++i) {
      step();
      check_what_has_ended();
    }
    in_place += landed(1);
    TearDown();
  }
  EXPECT_GT(checked_, 1000U);
  EXPECT_GT(in_place, 100U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEagerPlacement, ::testing::Range(1U, 7U));

}  // namespace
}  // namespace lintel::testing
