// Messages of one sender in one context are matched in the order in which they were sent, whatever
// their lengths, modes and protocols.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class Order : public P2pTest {
 protected:
  Order() { start(); }
  static constexpr std::uint64_t kLengths[] = {8, 5000, 0, 1024, 40'000, 1, 1025, 100};
  static constexpr SendMode kModes[] = {SendMode::kStandard, SendMode::kSynchronous,
                                        SendMode::kBuffered};
  std::vector<Transfer*> send_mixed(std::size_t from, std::int32_t to, int count) {
    std::vector<Transfer*> sent;
    for (int i = 0; i < count; ++i) {
      sent.push_back(&send(from, to, kLengths[static_cast<std::size_t>(i) % 8],
                           {.mode = kModes[static_cast<std::size_t>(i) % 3]}));
    }
    return sent;
  }
};

TEST_F(Order, HoldsWhenReceivesWerePostedBefore) {
  std::vector<Transfer*> received;
  for (int i = 0; i < 48; ++i) received.push_back(&receive(1, 0, 40'000));
  const std::vector<Transfer*> sent = send_mixed(0, 1, 48);
  for (std::size_t i = 0; i < 48; ++i) EXPECT_TRUE(arrived(*sent[i], *received[i])) << i;
}

TEST_F(Order, HoldsForUnexpectedMessages) {
  const std::vector<Transfer*> sent = send_mixed(0, 1, 48);
  job->settle();
  for (std::size_t i = 0; i < 48; ++i) EXPECT_TRUE(arrived(*sent[i], receive(1, 0, 40'000))) << i;
}

TEST_F(Order, HoldsForReceivesFromAnySourceAmongThoseByName) {
  std::vector<Transfer*> received;
  for (int i = 0; i < 48; ++i) {
    received.push_back(
        &receive(1, i % 2 == 0 ? kAnySource : 0, 40'000, {.tag = i % 3 == 0 ? kAnyTag : 5}));
  }
  const std::vector<Transfer*> sent = send_mixed(0, 1, 48);
  for (std::size_t i = 0; i < 48; ++i) EXPECT_TRUE(arrived(*sent[i], *received[i])) << i;
}

TEST_F(Order, LongMessageDoesNotLetAShortOneOvertakeItAtTheSameReceive) {
  Transfer& first = send(0, 1, 100'000);
  Transfer& second = send(0, 1, 8);
  Transfer& into_first = receive(1, kAnySource, 100'000, {.tag = kAnyTag});
  Transfer& into_second = receive(1, kAnySource, 100'000, {.tag = kAnyTag});
  EXPECT_TRUE(arrived(first, into_first));
  EXPECT_TRUE(arrived(second, into_second));
}

TEST_F(Order, ReceivesMayBePostedInAnyOrderOfTags) {
  std::vector<Transfer*> sent;
  for (int i = 0; i < 30; ++i)
    sent.push_back(&send(0, 1, kLengths[static_cast<std::size_t>(i) % 8], {.tag = i}));
  job->settle();
  for (int i = 29; i >= 0; --i) {
    EXPECT_TRUE(arrived(*sent[static_cast<std::size_t>(i)], receive(1, 0, 40'000, {.tag = i})))
        << i;
  }
}

TEST_F(Order, ContextsDoNotMeet) {
  Transfer& one = send(0, 1, 8, {.context = 1});
  Transfer& two = send(0, 1, 8, {.context = 2});
  job->settle();
  Transfer& into_two = receive(1, kAnySource, 8, {.tag = kAnyTag, .context = 2});
  Transfer& into_one = receive(1, kAnySource, 8, {.tag = kAnyTag, .context = 1});
  EXPECT_TRUE(arrived(two, into_two));
  EXPECT_TRUE(arrived(one, into_one));
}

TEST_F(Order, NegativeTagsAreMetByNameOnly) {
  Transfer& internal = send(0, 1, 8, {.tag = -17});
  job->settle();
  Transfer& any = receive(1, kAnySource, 8, {.tag = kAnyTag});
  job->settle();
  EXPECT_FALSE(ended(any));
  EXPECT_TRUE(arrived(internal, receive(1, 0, 8, {.tag = -17})));
  EXPECT_TRUE(arrived(send(0, 1, 8, {.tag = mpi::kMaxTag}), any));
}

TEST_F(Order, MoreReceivesThanTheListHasRoomForAreMetInOrderToo) {
  MessengerJobOptions options;
  options.messenger.most_receives = 4;
  start(options);
  std::vector<Transfer*> received;
  for (int i = 0; i < 20; ++i) received.push_back(&receive(1, i % 2 == 0 ? kAnySource : 0, 40'000));
  const std::vector<Transfer*> sent = send_mixed(0, 1, 20);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_TRUE(arrived(*sent[i], *received[i])) << i;
}

}  // namespace
}  // namespace lintel::testing
