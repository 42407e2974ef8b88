// What takes minutes: a process meets tens of thousands of others, each for a short time. Of each
// it may keep 4 bytes.

#include <gtest/gtest.h>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/short_lived_peers.h"

namespace lintel::testing {
namespace {

class ManyShortLivedPeers : public OnEveryProvider {};
// The name of the network says that it runs on no other one: libfabric keeps what it likes.
INSTANTIATE_TEST_SUITE_P(, ManyShortLivedPeers, ::testing::Values("direct"), provider_name);

TEST_P(ManyShortLivedPeers, LeaveNoMemoryAndNoDescriptorBehind) {
  expect_nothing_left_of(30'000, environment());
}

}  // namespace
}  // namespace lintel::testing
