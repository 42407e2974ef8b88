#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace lintel {
namespace {

TEST(Result, HoldsAValue) {
  Result<int> result(5);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, 5);
  EXPECT_TRUE(result.error().ok());
}

TEST(Result, HoldsAnErrorWithWhatIsLostAndTheSystemsNumber) {
  const Result<int> result(Error(Loss::kPeer, "fi_send", "connection refused", 111));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().loss(), Loss::kPeer);
  EXPECT_STREQ(result.error().call(), "fi_send");
  EXPECT_STREQ(result.error().reason(), "connection refused");
  EXPECT_EQ(result.error().code(), 111);
}

TEST(Result, GivesAwayAMoveOnlyValue) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(ResultDeathTest, TakingTheValueOfAnErrorIsAnInternalError) {
  Result<int> result(Error(Loss::kOperation, "call", "reason"));
  EXPECT_DEATH(static_cast<void>(result.value()),
               "internal error: ok\\(\\) does not hold at .*result.h");
}

}  // namespace
}  // namespace lintel
