// Peers in whose name a process has called that has proved nothing: how many there may be.
#include "transport/session/unproved_callers.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

class UnprovedCallersTest : public ::testing::Test {
 protected:
  PeerSession first;
  PeerSession second;
  PeerSession third;
  UnprovedCallers callers{2};
};

TEST_F(UnprovedCallersTest, TheOldestIsDisplacedAtTheLimit) {
  EXPECT_EQ(callers.add(first), nullptr);
  EXPECT_EQ(callers.add(second), nullptr);
  EXPECT_EQ(callers.add(third), &first);
}

TEST_F(UnprovedCallersTest, OneThatIsRemovedMakesRoom) {
  callers.add(first);
  callers.add(second);
  callers.remove(first);
  EXPECT_EQ(callers.add(third), nullptr);
  EXPECT_EQ(callers.add(first), &second);
}

TEST_F(UnprovedCallersTest, APeerIsRemovedOnce) {
  callers.add(first);
  callers.remove(first);
  callers.remove(first);
  callers.add(first);
  callers.add(second);
  EXPECT_EQ(callers.add(third), &first);
}

}  // namespace
}  // namespace lintel::transport
