// The frame in which messages to one peer wait for each other. The test acts as the lower
// transport: it lends the memory and reads it.
#include "transport/session/open_frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lintel::transport {
namespace {

class OpenFrameTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kLimit = 128;

  OpenFrameTest() {
    memory.fill(std::byte{0xee});
    frame.begin({memory.data(), memory.size(), 7});
  }
  void write(std::string_view message) {
    std::memcpy(frame.next_message(kLimit).data, message.data(), message.size());
    frame.close_record(message.size());
  }
  std::vector<std::string> messages() {
    const std::span<const std::byte> sent(memory.data(), frame.bytes());
    RecordReader reader(sent.subspan(sizeof(FrameHeader)));
    std::vector<std::string> out;
    for (std::span<const std::byte> message; reader.next(message);)
      out.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
    EXPECT_FALSE(reader.malformed());
    return out;
  }

  alignas(8) std::array<std::byte, kLimit> memory;
  OpenFrame frame;
};

TEST_F(OpenFrameTest, ItIsOpenFromTheReservationToItsEnd) {
  EXPECT_TRUE(frame.is_open());
  EXPECT_EQ(frame.buffer().token, 7U);
  frame.reset();
  EXPECT_FALSE(frame.is_open());
  EXPECT_EQ(frame.messages(), 0U);
}

TEST_F(OpenFrameTest, MessagesFollowEachOtherAndBeginAtMultiplesOfEightBytes) {
  write("a");
  write("twelve bytes");
  EXPECT_EQ(frame.messages(), 2U);
  EXPECT_EQ(frame.bytes(), sizeof(FrameHeader) + 2 * sizeof(RecordHeader) + 8 + 16);
  EXPECT_EQ(messages(), (std::vector<std::string>{"a", "twelve bytes"}));
}

TEST_F(OpenFrameTest, APaddingIsZero) {
  write("a");
  const std::size_t end = sizeof(FrameHeader) + sizeof(RecordHeader) + 1;
  for (std::size_t i = end; i < frame.bytes(); ++i) EXPECT_EQ(memory[i], std::byte{0});
}

TEST_F(OpenFrameTest, ThereIsRoomForAMessageUpToTheLimit) {
  const std::size_t room = kLimit - sizeof(FrameHeader) - sizeof(RecordHeader);
  EXPECT_EQ(frame.next_message(kLimit).capacity, room);
  EXPECT_TRUE(frame.has_room(room, kLimit));
  EXPECT_FALSE(frame.has_room(room + 1, kLimit));
}

TEST_F(OpenFrameTest, TheHeaderHasTheNumbersAndTheLengthOfTheRecords) {
  write("message");
  FrameHeader numbers{};
  numbers.receiver_slot = 1;
  numbers.receiver_epoch = 2;
  numbers.sequence = 3;
  numbers.acknowledged = 4;
  frame.seal(numbers);
  const auto header = decode<FrameHeader>(memory.data());
  EXPECT_EQ(header.magic, kFrameMagic);
  EXPECT_EQ(header.version, kFrameVersion);
  EXPECT_EQ(header.kind, static_cast<std::uint8_t>(FrameKind::kData));
  EXPECT_EQ(header.receiver_slot, 1U);
  EXPECT_EQ(header.receiver_epoch, 2U);
  EXPECT_EQ(header.sequence, 3U);
  EXPECT_EQ(header.acknowledged, 4U);
  EXPECT_EQ(header.length, frame.bytes() - sizeof(FrameHeader));
}

TEST_F(OpenFrameTest, WithoutItsMessagesItStaysOpen) {
  write("message");
  frame.clear();
  EXPECT_TRUE(frame.is_open());
  EXPECT_EQ(frame.messages(), 0U);
  write("another");
  EXPECT_EQ(messages(), (std::vector<std::string>{"another"}));
}

}  // namespace
}  // namespace lintel::transport
