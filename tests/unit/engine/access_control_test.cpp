#include "portals/engine/interface/access_control.h"

#include <gtest/gtest.h>

namespace lintel::portals {
namespace {

using Verdict = AccessControl::Verdict;

constexpr std::uint32_t kAny = 0xffffffffU;
constexpr UserId kOwner{500};
constexpr ProcessId kSomebody{NodeId(1), Pid(2)};

class AccessControlTest : public testing::Test {
 protected:
  Verdict check(std::uint32_t index, ProcessId process = kSomebody, UserId user = kOwner,
                JobId job = JobId(9), std::uint32_t portal = 4) const {
    return control.check(index, process, user, job, portal);
  }
  AccessControl control{3, kOwner};
};

TEST_F(AccessControlTest, EveryEntryAdmitsTheOwnersUserAtFirst) {
  for (std::uint32_t index = 0; index <= 3; ++index) {
    EXPECT_EQ(check(index), Verdict::kAdmitted);
    EXPECT_EQ(check(index, kSomebody, UserId(501)), Verdict::kDenied);
  }
}

TEST_F(AccessControlTest, LargestIndexIsInclusive) {
  EXPECT_EQ(check(3), Verdict::kAdmitted);
  EXPECT_EQ(check(4), Verdict::kBadIndex);
  EXPECT_EQ(check(kAny), Verdict::kBadIndex);
  EXPECT_TRUE(control.set(3, AccessEntry{}));
  EXPECT_FALSE(control.set(4, {}));
}

TEST_F(AccessControlTest, EachMemberMustAgree) {
  ASSERT_TRUE(control.set(1, {kSomebody, kOwner, JobId(9), 4}));
  EXPECT_EQ(check(1), Verdict::kAdmitted);
  EXPECT_EQ(check(1, {NodeId(7), Pid(2)}), Verdict::kDenied);
  EXPECT_EQ(check(1, {NodeId(1), Pid(7)}), Verdict::kDenied);
  EXPECT_EQ(check(1, kSomebody, UserId(7)), Verdict::kDenied);
  EXPECT_EQ(check(1, kSomebody, kOwner, JobId(7)), Verdict::kDenied);
  EXPECT_EQ(check(1, kSomebody, kOwner, JobId(9), 7), Verdict::kDenied);
}

TEST_F(AccessControlTest, EachMemberMayBeAnything) {
  ASSERT_TRUE(control.set(1, {{NodeId(kAny), Pid(kAny)}, UserId(kAny), JobId(kAny), kAny}));
  EXPECT_EQ(check(1, {NodeId(7), Pid(8)}, UserId(9), JobId(10), 11), Verdict::kAdmitted);
  ASSERT_TRUE(control.set(2, {{NodeId(kAny), Pid(2)}, UserId(kAny), JobId(kAny), kAny}));
  EXPECT_EQ(check(2, {NodeId(7), Pid(2)}), Verdict::kAdmitted);
  EXPECT_EQ(check(2, {NodeId(7), Pid(3)}), Verdict::kDenied);
}

TEST_F(AccessControlTest, OtherEntriesStayAsTheyAre) {
  ASSERT_TRUE(control.set(1, {kSomebody, UserId(1), JobId(1), 1}));
  EXPECT_EQ(check(0), Verdict::kAdmitted);
  EXPECT_EQ(check(2), Verdict::kAdmitted);
}

}  // namespace
}  // namespace lintel::portals
