#include "base/quantity.h"

#include <gtest/gtest.h>

namespace lintel {
namespace {

TEST(Quantity, SizesTakeBinarySuffixes) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("1500"), 1500U);
  EXPECT_EQ(parse_size("16K"), 16384U);
  EXPECT_EQ(parse_size("16k"), 16384U);
  EXPECT_EQ(parse_size("16KiB"), 16384U);
  EXPECT_EQ(parse_size("4MB"), 4194304U);
  EXPECT_EQ(parse_size("2G"), 2147483648U);
  EXPECT_EQ(parse_size("8B"), 8U);
}

TEST(Quantity, WhatIsNoSizeIsRefused) {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 ", "1T", "1.5K", "1KK", "1Kib", "0x10"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Quantity, ASizeThatOverflows64BitsIsRefused) {
  EXPECT_EQ(parse_size("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_size("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_size("17179869183G"), 17179869183ULL << 30);
  EXPECT_EQ(parse_size("17179869184G"), std::nullopt);
}

TEST(Quantity, DurationsNeedAUnitExceptZero) {
  EXPECT_EQ(parse_duration("7ns"), Nanoseconds(7));
  EXPECT_EQ(parse_duration("100us"), std::chrono::microseconds(100));
  EXPECT_EQ(parse_duration("20ms"), std::chrono::milliseconds(20));
  EXPECT_EQ(parse_duration("10s"), std::chrono::seconds(10));
  EXPECT_EQ(parse_duration("0"), Nanoseconds(0));
  for (const char* text : {"", "10", "s", "-1s", "1m", "1 s", "1.5s"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(Quantity, ADurationThatOverflowsIsRefused) {
  EXPECT_EQ(parse_duration("9223372036s"), std::chrono::seconds(9223372036));
  EXPECT_EQ(parse_duration("9223372037s"), std::nullopt);
  EXPECT_EQ(parse_duration("18446744073709551615ns"), std::nullopt);
}

TEST(Quantity, FormattedTextIsExactAndShort) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(16384), "16K");
  EXPECT_EQ(format_size(1536), "1536");
  EXPECT_EQ(format_size(std::uint64_t{3} << 30), "3G");
  EXPECT_EQ(format_duration(Nanoseconds(0)), "0");
  EXPECT_EQ(format_duration(Nanoseconds(100'000)), "100us");
  EXPECT_EQ(format_duration(Nanoseconds(10'000'000'000)), "10s");
  EXPECT_EQ(format_duration(Nanoseconds(1'500'000)), "1500us");
}

}  // namespace
}  // namespace lintel
