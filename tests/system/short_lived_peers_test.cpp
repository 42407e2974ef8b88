// A process that meets thousands of others, each for a short time, keeps nothing of them.

#include "tests/system/job/short_lived_peers.h"

#include <gtest/gtest.h>

#include "tests/system/job/launchers_secret.h"
#include "tests/system/job/on_every_provider.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kPeers = 2000;

class ShortLivedPeers : public OnEveryProvider {};
// The name of the network says that it runs on no other one: libfabric keeps what it likes.
INSTANTIATE_TEST_SUITE_P(, ShortLivedPeers, ::testing::Values("direct"), provider_name);

TEST_P(ShortLivedPeers, LeaveNoMemoryAndNoDescriptorBehind) {
  expect_nothing_left_of(kPeers, environment());
}

TEST_P(ShortLivedPeers, OfAJobWithASecretLeaveNoMemoryAndNoDescriptorBehind) {
  const LaunchersSecret secret;
  Environment with_secret = environment();
  with_secret["LINTEL_SECRET_FILE"] = secret.path();
  expect_nothing_left_of(kPeers, with_secret);
}

}  // namespace
}  // namespace lintel::testing
