// The numbers by which writes find their transfers.
#include "portals/engine/protocol/immediates.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "portals/engine/protocol/transfer_records.h"

namespace lintel::portals {
namespace {

transport::Immediate with_highest_bit(transport::Immediate immediate) {
  return transport::Immediate(immediate.value | Immediates::kMoreThanOneWrite);
}

TEST(ImmediatesTest, EachSinkIsFoundByItsNumberUntilItIsTakenBack) {
  constexpr std::size_t kSinks = 20000;  // several in each bucket
  Immediates immediates(1);
  std::deque<TransferSink> sinks(kSinks);
  std::set<std::uint32_t> numbers;
  for (TransferSink& sink : sinks) {
    immediates.give(sink);
    EXPECT_EQ(sink.immediate.value & Immediates::kMoreThanOneWrite, 0U);
    numbers.insert(sink.immediate.value);
  }
  EXPECT_EQ(numbers.size(), kSinks);
  for (std::size_t i = 0; i < kSinks; i += 2) immediates.take_back(sinks[i]);
  for (std::size_t i = 0; i < kSinks; ++i) {
    TransferSink* const expected = i % 2 == 0 ? nullptr : &sinks[i];
    EXPECT_EQ(immediates.find(sinks[i].immediate), expected);
    EXPECT_EQ(immediates.find(with_highest_bit(sinks[i].immediate)), expected);
  }
}

TEST(ImmediatesTest, NumbersOfTheKernelDifferBetweenProcesses) {
  Immediates one(0);
  Immediates other(0);
  TransferSink sinks[4];
  one.give(sinks[0]);
  one.give(sinks[1]);
  other.give(sinks[2]);
  other.give(sinks[3]);
  EXPECT_FALSE(sinks[0].immediate == sinks[2].immediate &&
               sinks[1].immediate == sinks[3].immediate);
}

}  // namespace
}  // namespace lintel::portals
