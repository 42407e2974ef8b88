// A message that is longer than its buffer: an error of that request only.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class Truncation
    : public P2pTest,
      public ::testing::WithParamInterface<std::tuple<std::uint64_t, std::uint64_t, SendMode>> {
 protected:
  Truncation() { start(); }
  std::uint64_t length() const { return std::get<0>(GetParam()); }
  std::uint64_t capacity() const { return std::get<1>(GetParam()); }
  With with() const { return {.mode = std::get<2>(GetParam())}; }
};

TEST_P(Truncation, BufferHoldsTheBeginningAndTheChannelGoesOn) {
  Transfer& posted = receive(1, 0, capacity());
  EXPECT_TRUE(arrived(send(0, 1, length(), with()), posted));
  Transfer& sent = send(0, 1, length(), with());
  job->settle();
  EXPECT_TRUE(arrived(sent, receive(1, 0, capacity())));
  EXPECT_TRUE(arrived(send(0, 1, 5000), receive(1, 0, 5000)));
}

INSTANTIATE_TEST_SUITE_P(AllOfThem, Truncation,
                         ::testing::Combine(::testing::Values(100, 1024, 1025, 50'000),
                                            ::testing::Values(0, 1, 99, 512, 1024, 3000),
                                            ::testing::Values(SendMode::kStandard,
                                                              SendMode::kSynchronous)));

}  // namespace
}  // namespace lintel::testing
