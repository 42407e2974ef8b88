#include "base/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

namespace lintel {
namespace {

using testing::HasSubstr;

TEST(Counters, StartAtZeroAndAdd) {
  Counters counters;
  EXPECT_EQ(counters.get(Counter::kPutsSent), 0U);
  counters.add(Counter::kPutsSent);
  counters.add(Counter::kPutsSent, 4);
  EXPECT_EQ(counters.get(Counter::kPutsSent), 5U);
  EXPECT_EQ(counters.get(Counter::kPutsReceived), 0U);
}

TEST(Counters, ALargestValueNeverFalls) {
  Counters counters;
  counters.raise_to(Counter::kLongestProgressGapNs, 900);
  counters.raise_to(Counter::kLongestProgressGapNs, 300);
  EXPECT_EQ(counters.get(Counter::kLongestProgressGapNs), 900U);
}

TEST(Counters, DropsSumsEveryCauseAndNothingElse) {
  Counters counters;
  for (std::size_t i = 0; i < kCounterCount; ++i) counters.add(static_cast<Counter>(i));
  EXPECT_EQ(counters.drops(), 10U);  // no interface, index, cookie, access, match, handle,
                                     // disabled, operation, inaccessible, malformed
}

TEST(Counters, LabelsAreUniqueLowerCaseWords) {
  std::set<std::string_view> labels;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    const CounterInfo& info = counter_info(static_cast<Counter>(i));
    EXPECT_TRUE(labels.insert(info.label).second) << info.label;
    EXPECT_EQ(info.label.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos)
        << info.label;
    EXPECT_FALSE(info.help.empty()) << info.label;
  }
}

TEST(Counters, TextHasOneLineForEachCounterZerosIncluded) {
  Counters counters;
  counters.add(Counter::kDropsNoMatch, 3);
  const std::string text = counters.text();
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), kCounterCount);
  EXPECT_THAT(text, HasSubstr("\ndrops_no_match 3\n"));
  EXPECT_THAT(text, HasSubstr("frames_sent 0\n"));
}

TEST(Counters, JsonIsOneObject) {
  Counters counters;
  counters.add(Counter::kFramesSent, 2);
  EXPECT_EQ(counters.json().front(), '{');
  EXPECT_THAT(counters.json(), HasSubstr("\"frames_sent\": 2, \"frames_received\": 0"));
  EXPECT_EQ(counters.json().back(), '}');
}

TEST(Counters, AddingAllSumsCountsAndKeepsTheLargestGap) {
  Counters sum, other;
  sum.add(Counter::kPutsSent, 3);
  sum.raise_to(Counter::kLongestProgressGapNs, 900);
  other.add(Counter::kPutsSent, 4);
  other.add(Counter::kFramesSent, 1);
  other.raise_to(Counter::kLongestProgressGapNs, 300);
  sum.add_all(other);
  EXPECT_EQ(sum.get(Counter::kPutsSent), 7U);
  EXPECT_EQ(sum.get(Counter::kFramesSent), 1U);
  EXPECT_EQ(sum.get(Counter::kLongestProgressGapNs), 900U);
}

TEST(Counters, TheFileNameTakesTheProcessIdAndTheFileIsReplaced) {
  Counters counters;
  const std::string folder = testing::TempDir();
  const std::string path = folder + "lintel_counters." + std::to_string(getpid());
  std::ofstream(path) << "old content that is longer than nothing\n";
  counters.add(Counter::kGetsSent, 11);
  ASSERT_TRUE(write_counters_file(counters, folder + "lintel_counters.%p"));
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), counters.text());
  std::remove(path.c_str());
}

TEST(Counters, AFileThatCannotBeWrittenIsReported) {
  EXPECT_FALSE(write_counters_file(Counters(), "/no/such/folder/counters"));
  EXPECT_TRUE(write_counters_file(Counters(), ""));
}

TEST(Counters, ADeviceIsWrittenToAndNotReplaced) {
  ASSERT_TRUE(write_counters_file(Counters(), "/dev/null"));
  std::ifstream device("/dev/null");
  EXPECT_EQ(device.get(), std::ifstream::traits_type::eof());
  EXPECT_NE(access("/dev/null.new", F_OK), 0);
}

}  // namespace
}  // namespace lintel
