#include "numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.h"

namespace lintel::perf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Parse>
std::string complaint(Parse parse) {
  try {
    parse();
  } catch (const PerfFailure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kUnusable);
    return failure.what();
  }
  return "(accepted)";
}

TEST(ParseSize, SuffixesArePowersOf1024) {
  EXPECT_EQ(parse_size("--sizes", "17"), 17U);
  EXPECT_EQ(parse_size("--sizes", "64K"), 65536U);
  EXPECT_EQ(parse_size("--sizes", "4m"), 4194304U);
  EXPECT_EQ(parse_size("--sizes", "1GiB"), 1073741824U);
}

TEST(ParseSize, AComplaintNamesOptionValueAndWhatWasExpected) {
  for (const char* text : {"0", "", "-1", "8q", "8KK", "65G", "18446744073709551617",
                           "18446744073709551615G", "1.5K"}) {
    EXPECT_THAT(
        complaint([&] { parse_size("--min", text); }),
        AllOf(HasSubstr("--min"), HasSubstr("'" + std::string(text) + "'"), HasSubstr("expected")));
  }
}

TEST(ParseSizeList, KeepsTheOrder) {
  EXPECT_THAT(parse_size_list("--sizes", "8,1K,4"), ElementsAre(8, 1024, 4));
}

TEST(ParseSizeList, RefusesAnEmptyPart) {
  EXPECT_THAT(complaint([] { parse_size_list("--sizes", "8,,9"); }), HasSubstr("''"));
}

TEST(PowersOfTwo, DoubleFromTheFirstAndStopAtTheLast) {
  EXPECT_THAT(powers_of_two(3, 24), ElementsAre(3, 6, 12, 24));
}

TEST(ParseCount, HoldsItsLimits) {
  EXPECT_EQ(parse_count("--window", "1", "operations", 1, 10), 1U);
  EXPECT_EQ(parse_count("--window", "10", "operations", 1, 10), 10U);
  for (const char* text : {"0", "11", "", "x", "5x", "-5", "+5"}) {
    EXPECT_THAT(complaint([&] { parse_count("--window", text, "operations", 1, 10); }),
                HasSubstr("from 1 to 10"))
        << text;
  }
}

TEST(ParseSeconds, RefusesWhatIsNoDuration) {
  EXPECT_EQ(parse_seconds("--deadline", "0.5", 0.1, 10), 0.5);
  for (const char* text : {"", "x", "1s", "nan", "inf", "0", "-1", "11"}) {
    EXPECT_THAT(complaint([&] { parse_seconds("--deadline", text, 0.1, 10); }),
                HasSubstr("--deadline"))
        << text;
  }
}

TEST(ParseCpus, TakesOneOrTwo) {
  EXPECT_THAT(parse_cpus("--cpu", "3"), ElementsAre(3));
  EXPECT_THAT(parse_cpus("--cpu", "0,1"), ElementsAre(0, 1));
  for (const char* text : {"", "a", "0,", "0,1,2", "-1"})
    EXPECT_THAT(complaint([&] { parse_cpus("--cpu", text); }), HasSubstr("--cpu")) << text;
}

TEST(ParsePeer, ThePidIsTheDefaultUnlessSaid) {
  EXPECT_EQ(parse_peer("--client", "10.0.0.1", 17), std::pair(std::string("10.0.0.1"), 17U));
  EXPECT_EQ(parse_peer("--client", "node7:99", 17), std::pair(std::string("node7"), 99U));
  for (const char* text : {"", ":17", "a:", "a:0", "a:70000", "a:b", "a:1:2"}) {
    EXPECT_THAT(complaint([&] { parse_peer("--client", text, 17); }), HasSubstr("expected"))
        << text;
  }
}

}  // namespace
}  // namespace lintel::perf
