#include "mpi_layer/impi/host/frame_queue.h"

#include <gtest/gtest.h>

namespace lintel::testing {
namespace {

using mpi::impi::FrameQueue;

// `length` bytes of that value.
FrameQueue::Frame frame(unsigned char value, std::size_t length = 2) {
  return FrameQueue::Frame(length, std::byte{value});
}

// The first byte of the next frame, which is written as a whole.
int take_next(FrameQueue& queue) {
  const auto bytes = queue.next_bytes();
  const int value = bytes.empty() ? -1 : std::to_integer<int>(bytes[0]);
  queue.written(bytes.size());
  return value;
}

TEST(FrameQueue, UrgentFramesAreWrittenFirst) {
  FrameQueue queue;
  queue.add(frame(1));
  queue.add(frame(2));
  queue.add_urgent(frame(3));
  EXPECT_EQ(take_next(queue), 3);
  EXPECT_EQ(take_next(queue), 1);
  EXPECT_EQ(take_next(queue), 2);
  EXPECT_EQ(take_next(queue), -1);
}

TEST(FrameQueue, NothingOvertakesAFrameThatHasBegun) {
  FrameQueue queue;
  queue.add(frame(1));
  EXPECT_EQ(queue.next_bytes().size(), 2U);
  queue.written(1);
  queue.add_urgent(frame(2));
  EXPECT_EQ(queue.next_bytes().size(), 1U);
  EXPECT_EQ(take_next(queue), 1);
  EXPECT_EQ(take_next(queue), 2);
}

TEST(FrameQueue, UnwrittenBytesAreThoseOfAllFrames) {
  FrameQueue queue;
  queue.add(frame(1, 3));
  queue.add_urgent(frame(2, 4));
  EXPECT_EQ(queue.unwritten_bytes(), 7U);
  queue.next_bytes();
  queue.written(3);
  EXPECT_EQ(queue.unwritten_bytes(), 4U);
}

}  // namespace
}  // namespace lintel::testing
