// A process that sends to itself, and processes that send to each other before they receive.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class HeadToHead : public P2pTest {
 protected:
  HeadToHead() { start(); }
};

TEST_F(HeadToHead, LongSendsThatWaitDoNotBlockEachOther) {
  Transfer& to_one = send(0, 1, 200'000);
  Transfer& to_zero = send(1, 0, 200'000);
  Transfer& at_zero = receive(0, 1, 200'000);
  Transfer& at_one = receive(1, 0, 200'000);
  as(0).wait(to_one.request());
  as(1).wait(to_zero.request());
  as(0).wait(at_zero.request());
  as(1).wait(at_one.request());
  EXPECT_TRUE(same(to_one, at_one));
  EXPECT_TRUE(same(to_zero, at_zero));
}

TEST_F(HeadToHead, LongSynchronousSendsToOneselfMeetPostedReceives) {
  std::vector<Transfer*> received;
  std::vector<Transfer*> sent;
  for (int i = 0; i < 10; ++i) received.push_back(&receive(0, 0, 50'000));
  for (int i = 0; i < 10; ++i)
    sent.push_back(&send(0, 0, 50'000, {.mode = SendMode::kSynchronous}));
  for (std::size_t i = 0; i < 10; ++i) {
    as(0).wait(sent[i]->request());
    as(0).wait(received[i]->request());
    EXPECT_TRUE(same(*sent[i], *received[i]));
  }
}

TEST_F(HeadToHead, EveryoneSendsToEveryoneBeforeReceiving) {
  start({.processes = 5});
  std::vector<std::pair<Transfer*, Transfer*>> pairs;
  std::vector<Transfer*> sent;
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::int32_t to = 0; to < 5; ++to) sent.push_back(&send(from, to, 20'000));
  }
  std::size_t next = 0;
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = 0; to < 5; ++to)
      pairs.emplace_back(sent[next++], &receive(to, static_cast<std::int32_t>(from), 20'000));
  }
  for (auto& [from, to] : pairs) EXPECT_TRUE(arrived(*from, *to));
}

TEST_F(HeadToHead, NobodyIsSentToAndReceivedFromAtOnce) {
  Transfer& sent = send(0, kProcNull, 100, {.mode = SendMode::kSynchronous});
  EXPECT_TRUE(ended(sent));
  Transfer& received = receive(0, kProcNull, 100);
  EXPECT_TRUE(ended(received));
  EXPECT_EQ(received.result().source, kProcNull);
  EXPECT_EQ(received.result().tag, kAnyTag);
  EXPECT_EQ(received.result().length, 0U);
}

}  // namespace
}  // namespace lintel::testing
