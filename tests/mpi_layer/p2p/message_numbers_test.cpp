#include "mpi_layer/p2p/message_numbers.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

TEST(MessageNumbers, AnAnswerIsDueAfterAMessageUntilOneArrives) {
  MessageNumbers numbers;
  EXPECT_FALSE(numbers.any());
  EXPECT_FALSE(numbers.answer_is_due());
  EXPECT_EQ(numbers.next(), 1U);
  numbers.note_sent();
  numbers.note_sent();
  EXPECT_TRUE(numbers.answer_is_due());
  EXPECT_EQ(numbers.sent_since_arrival(), 2U);
  EXPECT_TRUE(numbers.note_arrival(1));
  EXPECT_FALSE(numbers.answer_is_due());
  EXPECT_EQ(numbers.sent(), 2U);
  EXPECT_EQ(numbers.arrived(), 1U);
}

TEST(MessageNumbers, AGapIsNoticed) {
  MessageNumbers numbers;
  EXPECT_TRUE(numbers.note_arrival(5));  // of a process that sent before it was known
  EXPECT_TRUE(numbers.note_arrival(6));
  EXPECT_FALSE(numbers.note_arrival(8));
  EXPECT_TRUE(numbers.note_arrival(9));
}

}  // namespace
}  // namespace lintel::mpi
