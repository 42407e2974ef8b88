// Every mode of sending, with a posted receive and unexpected, at the lengths where protocols
// change.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class Modes : public P2pTest,
              public ::testing::WithParamInterface<std::tuple<SendMode, std::uint64_t>> {
 protected:
  Modes() { start(); }
  SendMode mode() const { return std::get<0>(GetParam()); }
  std::uint64_t length() const { return std::get<1>(GetParam()); }
};

TEST_P(Modes, MeetsAReceiveThatWasPosted) {
  Transfer& received = receive(1, 0, length());
  job->settle();
  EXPECT_FALSE(ended(received));
  Transfer& sent = send(0, 1, length(), {.mode = mode()});
  EXPECT_TRUE(arrived(sent, received));
}

TEST_P(Modes, WaitsForItsReceive) {
  Transfer& sent = send(0, 1, length(), {.mode = mode()});
  job->settle();
  const bool local =
      mode() == SendMode::kBuffered || (mode() != SendMode::kSynchronous && length() <= kEager);
  EXPECT_EQ(ended(sent), local);
  Transfer& received = receive(1, 0, length());
  job->settle();
  EXPECT_TRUE(ended(received));
  if (!local) {
    EXPECT_TRUE(ended(sent));
  }
  EXPECT_TRUE(same(sent, received));
}

TEST_P(Modes, GoesToOneself) {
  Transfer& sent = send(0, 0, length(), {.mode = mode()});
  Transfer& received = receive(0, 0, length());
  EXPECT_TRUE(arrived(sent, received));
  Transfer& posted = receive(0, 0, length());
  EXPECT_TRUE(arrived(send(0, 0, length(), {.mode = mode()}), posted));
}

TEST_P(Modes, MeetsAReceiveWithWildcards) {
  Transfer& received = receive(1, kAnySource, length(), {.tag = kAnyTag});
  EXPECT_TRUE(arrived(send(0, 1, length(), {.mode = mode()}), received));
  Transfer& sent = send(0, 1, length(), {.mode = mode()});
  job->settle();
  EXPECT_TRUE(arrived(sent, receive(1, kAnySource, length(), {.tag = kAnyTag})));
}

INSTANTIATE_TEST_SUITE_P(
    AllOfThem, Modes,
    ::testing::Combine(::testing::Values(SendMode::kStandard, SendMode::kSynchronous,
                                         SendMode::kReady, SendMode::kBuffered),
                       ::testing::Values(0, 1, 8, 1023, 1024, 1025, 1032, 2048, 5000, 100'000)));

class Buffers : public P2pTest {
 protected:
  Buffers() { start(); }
};

TEST_F(Buffers, BufferOfABufferedSendIsFreeWhenTheCallReturns) {
  for (const std::uint64_t length : {8U, 5000U}) {
    Transfer& sent = send(0, 1, length, {.mode = SendMode::kBuffered});
    EXPECT_TRUE(ended(sent));
    const std::vector<std::byte> contents = sent.buffer;
    std::fill(sent.buffer.begin(), sent.buffer.end(), std::byte{0});
    job->settle();
    Transfer& received = receive(1, 0, length);
    job->settle();
    EXPECT_TRUE(ended(received));
    EXPECT_EQ(received.buffer, contents);
  }
}

TEST_F(Buffers, BufferOfAShortSendIsFreeWhenItIsCompleteAlthoughItHasNotLeft) {
  MessengerJobOptions options;
  options.network.max_in_flight = 2;
  start(options);
  std::vector<std::vector<std::byte>> contents;
  for (int i = 0; i < 200; ++i) {
    Transfer& sent = send(0, 1, 512);
    contents.push_back(sent.buffer);
    if (ended(sent)) std::fill(sent.buffer.begin(), sent.buffer.end(), std::byte{0});
  }
  for (int i = 0; i < 200; ++i) {
    Transfer& received = receive(1, 0, 512);
    job->settle();
    ASSERT_TRUE(ended(received)) << i;
    EXPECT_EQ(received.buffer, contents[static_cast<std::size_t>(i)]) << i;
  }
}

TEST_F(Buffers, BlockingCallsReturnWhenTheOtherSideHasDoneItsPart) {
  Transfer& sent = send(0, 1, 5000, {.mode = SendMode::kSynchronous});
  Transfer& received = receive(1, 0, 5000);
  as(0).wait(sent.request());
  as(1).wait(received.request());
  EXPECT_TRUE(same(sent, received));
}

}  // namespace
}  // namespace lintel::testing
