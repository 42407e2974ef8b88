// Messages near the eager limit of TCP. In a stream, those that do not fit one segment with their
// headers use the protocol of long messages.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class Streams : public P2pTest {
 protected:
  static constexpr std::uint64_t kLongest = 65'536;

  Streams() {
    MessengerJobOptions options;
    options.network.attributes.max_message_bytes = 70'000;
    options.endpoint.eager_limit = kLongest;
    start(options);
  }
  // Sends that many to a process that has posted no receive. Returns a letter for each: 'w' if it
  // was sent whole without waiting for a receive, else 'l'.
  std::string send_stream(std::size_t count, std::uint64_t length) {
    std::string ways;
    for (std::size_t i = 0; i < count; ++i) {
      sent.push_back(&send(0, 1, length));
      ways += ended(*sent.back()) ? 'w' : 'l';
    }
    job->settle();
    return ways;
  }
  void receive_all() {
    for (Transfer* one : sent) EXPECT_TRUE(arrived(*one, receive(1, 0, kLongest)));
    sent.clear();
  }

  std::vector<Transfer*> sent;
};

TEST_F(Streams, TheFifthOfTheLongestWaitsForItsReceiver) {
  EXPECT_EQ(send_stream(6, kLongest), "wwwwll");
  receive_all();
}

TEST_F(Streams, WhatFitsIntoASegmentGoesWholeInAnyNumber) {
  EXPECT_EQ(send_stream(6, 65'000), "wwwwww");
  receive_all();
}

TEST_F(Streams, OthersCountToo) {
  EXPECT_EQ(send_stream(4, 8), "wwww");
  EXPECT_EQ(send_stream(1, kLongest), "l");
  receive_all();
}

TEST_F(Streams, AMessageFromTheReceiverEndsTheStream) {
  EXPECT_EQ(send_stream(5, kLongest), "wwwwl");
  Transfer& answer = receive(0, 1, 8);
  EXPECT_TRUE(arrived(send(1, 0, 8), answer));
  EXPECT_EQ(send_stream(5, kLongest), "wwwwl");
  receive_all();
}

TEST_F(Streams, ABufferedSendOfAStreamIsCompleteAtOnce) {
  EXPECT_EQ(send_stream(4, kLongest), "wwww");
  Transfer& buffered = send(0, 1, kLongest, {.mode = SendMode::kBuffered});
  EXPECT_TRUE(ended(buffered));
  receive_all();
  Transfer& received = receive(1, 0, kLongest);
  job->settle();
  EXPECT_TRUE(ended(received));
  EXPECT_TRUE(same(buffered, received));
}

}  // namespace
}  // namespace lintel::testing
