// Counts beyond 2 GiB and 4 GiB. The buffers are long stretches of addresses over little memory, so that any machine can run this.

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

// `length` bytes of addresses, all of which show the same `kWindow` bytes over and over.
class Mirrored {
 public:
  static constexpr std::uint64_t kWindow = 64 << 20;

  explicit Mirrored(std::uint64_t length) : length_(length) {
    const int file = ::memfd_create("mirrored", 0);
    if (file < 0 || ::ftruncate(file, kWindow) != 0) return;
    void* const all = ::mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all != MAP_FAILED) data_ = static_cast<std::byte*>(all);
    for (std::uint64_t at = 0; data_ != nullptr && at < length; at += kWindow) {
      const std::uint64_t part = std::min(kWindow, length - at);
      if (::mmap(data_ + at, part, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) data_ = nullptr;
    }
    ::close(file);
  }
  Mirrored(const Mirrored&) = delete;
  Mirrored& operator=(const Mirrored&) = delete;
  ~Mirrored() {
    if (data_ != nullptr) ::munmap(data_, length_);
  }
  std::byte* data() const { return data_; }

 private:
  std::uint64_t length_;
  std::byte* data_ = nullptr;
};

class LargeCounts : public P2pTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  LargeCounts() {
    MessengerJobOptions options;
    options.network.attributes.max_write_bytes = 256 << 20;
    start(options);
  }
};

// ompi#7058, #6976, #7004, libfabric#5287
TEST_P(LargeCounts, AllBytesArriveAndTheLengthIsTold) {
  const std::uint64_t length = GetParam();
  const Mirrored from(length);
  const Mirrored to(length);
  ASSERT_NE(from.data(), nullptr);
  ASSERT_NE(to.data(), nullptr);
  for (std::uint64_t at = 0; at < Mirrored::kWindow; at += 4096) std::memcpy(from.data() + at, &at, sizeof at);
  mpi::Request sent;
  mpi::Request received;
  ASSERT_EQ(at(1).receive({to.data(), length, 0, 1, 5}, received), Refusal::kNone);
  ASSERT_EQ(at(0).send({from.data(), length, 1, 1, 5}, sent), Refusal::kNone);
  as(1).wait(received);
  as(0).wait(sent);
  EXPECT_EQ(received.result().length, length);
  EXPECT_EQ(received.result().failure, Failure::kNone);
  EXPECT_EQ(std::memcmp(from.data(), to.data(), Mirrored::kWindow), 0);
}

INSTANTIATE_TEST_SUITE_P(Beyond, LargeCounts, ::testing::Values((std::uint64_t{2} << 30) + 12'345, (std::uint64_t{4} << 30) + 12'345));

TEST_F(P2pTest, TruncationOfMoreThanFourGigabytes) {
  start();
  const std::uint64_t length = (std::uint64_t{4} << 30) + 100;
  const Mirrored from(length);
  ASSERT_NE(from.data(), nullptr);
  std::vector<std::byte> to(3000);
  mpi::Request sent;
  mpi::Request received;
  ASSERT_EQ(at(1).receive({to.data(), to.size(), 0, 1, 5}, received), Refusal::kNone);
  ASSERT_EQ(at(0).send({from.data(), length, 1, 1, 5}, sent), Refusal::kNone);
  as(1).wait(received);
  as(0).wait(sent);
  EXPECT_EQ(received.result().length, length);
  EXPECT_EQ(received.result().failure, Failure::kTruncated);
}

}  // namespace
}  // namespace lintel::testing
