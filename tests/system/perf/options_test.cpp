// The command line as a server takes it from a client.

#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.h"

namespace lintel::perf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const PerfFailure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kUnusable);
    return failure.what();
  }
  return "";
}

TEST(ArgumentsOfAClient, ArriveAsTheyWereSent) {
  const auto sent = parse_options({"put-bw", "--api", "4", "--notify", "counters", "--sizes", "64",
                                   "--iovec", "3", "--no-validate", "--client", "10.0.0.1"});
  ASSERT_TRUE(sent);
  const auto arrived = parse_options(sent->arguments);
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->measurement, sent->measurement);
  EXPECT_EQ(arrived->settings.api, Api::kPortals4);
  EXPECT_EQ(arrived->settings.notify, Notify::kCounters);
  EXPECT_THAT(arrived->sizes, ElementsAre(64));
  EXPECT_EQ(arrived->settings.pieces, 3U);
  EXPECT_FALSE(arrived->settings.validate);
}

TEST(ArgumentsOfAClient, AnApiThatIsNoneIsRefused) {
  EXPECT_THAT(refusal_of({"put-bw", "--api", "5"}),
              HasSubstr("'5' is not usable; expected 3 or 4"));
}

TEST(ArgumentsOfAClient, AWayOfCompletionThatIsNoneIsRefused) {
  EXPECT_THAT(refusal_of({"put-bw", "--notify", "pigeons"}),
              HasSubstr("'pigeons' is not usable; expected events or counters"));
}

TEST(ArgumentsOfAClient, NumbersOutOfRangeAreRefused) {
  for (const char* name : {"--sizes", "--iovec", "--window"}) {
    EXPECT_THAT(refusal_of({"put-bw", name, "0"}), HasSubstr("'0' is not usable")) << name;
  }
}

}  // namespace
}  // namespace lintel::perf
