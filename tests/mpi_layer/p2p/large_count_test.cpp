// Counts beyond 2 GiB and 4 GiB.

#include <cstring>

#include "tests/mirrored_memory.h"
#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class LargeCounts : public P2pTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  LargeCounts() {
    MessengerJobOptions options;
    options.network.attributes.max_write_bytes = 16 << 20;
    start(options);
  }
};

// ompi#7058, #6976, #7004, libfabric#5287
TEST_P(LargeCounts, AllBytesArriveAndTheLengthIsTold) {
  const std::uint64_t length = GetParam();
  const MirroredMemory from(length);
  const MirroredMemory to(length);
  ASSERT_NE(from.data(), nullptr);
  ASSERT_NE(to.data(), nullptr);
  for (std::uint64_t at = 0; at < MirroredMemory::kWindow; at += 4096)
    std::memcpy(from.data() + at, &at, sizeof at);
  mpi::SendRequest sent;
  mpi::ReceiveRequest received;
  ASSERT_EQ(at(1).receive({to.data(), length, 0, 1, 5}, received), CallError::kNone);
  ASSERT_EQ(at(0).send({from.data(), length, 1, 1, 5}, sent), CallError::kNone);
  as(1).wait(received);
  as(0).wait(sent);
  EXPECT_EQ(received.result().length, length);
  EXPECT_EQ(received.result().failure, RequestFailure::kNone);
  EXPECT_EQ(std::memcmp(from.data(), to.data(), MirroredMemory::kWindow), 0);
}

INSTANTIATE_TEST_SUITE_P(Beyond, LargeCounts,
                         ::testing::Values((std::uint64_t{2} << 30) + 12'345,
                                           (std::uint64_t{4} << 30) + 12'345));

TEST_F(P2pTest, TruncationOfMoreThanFourGigabytes) {
  start();
  const std::uint64_t length = (std::uint64_t{4} << 30) + 100;
  const MirroredMemory from(length);
  ASSERT_NE(from.data(), nullptr);
  std::vector<std::byte> to(3000);
  mpi::SendRequest sent;
  mpi::ReceiveRequest received;
  ASSERT_EQ(at(1).receive({to.data(), to.size(), 0, 1, 5}, received), CallError::kNone);
  ASSERT_EQ(at(0).send({from.data(), length, 1, 1, 5}, sent), CallError::kNone);
  as(1).wait(received);
  as(0).wait(sent);
  EXPECT_EQ(received.result().length, length);
  EXPECT_EQ(received.result().failure, RequestFailure::kTruncated);
}

}  // namespace
}  // namespace lintel::testing
