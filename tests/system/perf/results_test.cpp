#include "report.h"

#include <gtest/gtest.h>

#include <numeric>

namespace lintel::perf {
namespace {

std::vector<double> one_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.rbegin(), values.rend(), 1.0);  // falling, so that sorting is needed
  return values;
}

TEST(Median, OfAnOddNumberIsTheMiddleOne) { EXPECT_EQ(median({9, 1, 5}), 5); }

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) { EXPECT_EQ(median({4, 1, 3, 2}), 2.5); }

TEST(Median, OfOneIsThatOne) { EXPECT_EQ(median({7}), 7); }

TEST(Percentiles, AreTheSmallestSampleNotExceededByThatShare) {
  const Percentiles p = percentiles_of(one_to(1000));
  EXPECT_EQ(p.samples, 1000U);
  EXPECT_EQ(p.min, 1);
  EXPECT_EQ(p.p50, 500);
  EXPECT_EQ(p.p90, 900);
  EXPECT_EQ(p.p99, 990);
  EXPECT_EQ(p.p99_9, 999);
  EXPECT_EQ(p.max, 1000);
}

TEST(Percentiles, OfFewSamplesAreSamples) {
  const Percentiles p = percentiles_of(one_to(3));
  EXPECT_EQ(p.p50, 2);
  EXPECT_EQ(p.p99_9, 3);
}

}  // namespace
}  // namespace lintel::perf
