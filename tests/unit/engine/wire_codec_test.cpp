#include "portals/engine/wire/wire_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "wire_messages.h"

namespace {

using namespace lintel::test;

TEST(WireCodec, AcceptsOneOfEachKind) {
  for (const Bytes& bytes : one_of_each_kind())
    EXPECT_TRUE(accepted(bytes)) << "kind " << std::to_integer<int>(bytes[1]);
}

TEST(WireCodec, PutOfNothingIsAccepted) { EXPECT_TRUE(accepted(message(put(0)))); }

TEST(WireCodec, EveryPrefixOfAMessageIsRejected) {
  for (const Bytes& whole : one_of_each_kind()) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes prefix(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(accepted(prefix))
          << "kind " << std::to_integer<int>(whole[1]) << ", " << size << " bytes";
    }
  }
}

TEST(WireCodec, BytesAfterTheMessageAreRejected) {
  for (Bytes bytes : one_of_each_kind()) {
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(accepted(bytes)) << "kind " << std::to_integer<int>(bytes[1]);
  }
}

TEST(WireCodec, AnotherVersionIsRejected) {
  EXPECT_FALSE(accepted(with_byte(message(put(0)), 0, 0)));
  EXPECT_FALSE(accepted(with_byte(message(put(0)), 0, kMessageVersion + 1)));
}

TEST(WireCodec, UnknownKindsAreRejected) {
  const Bytes zeros(256);
  for (const unsigned kind : {0U, 9U, 15U, 19U, 255U})
    EXPECT_FALSE(accepted(with_byte(with_byte(zeros, 0, kMessageVersion), 1, kind))) << kind;
}

TEST(WireCodec, InterfaceKindBeyondTheHighestIsRejected) {
  EXPECT_TRUE(accepted(with_byte(message(put(0)), 3, kHighestInterfaceKind)));
  EXPECT_FALSE(accepted(with_byte(message(put(0)), 3, kHighestInterfaceKind + 1U)));
}

TEST(WireCodec, FlagsThatTheKindDoesNotHaveAreRejected) {
  constexpr unsigned kOfAPut = kFlagAckWanted | kFlagAnnounced | kFlagTracked;
  constexpr unsigned kOfAGet = kFlagTracked | kFlagCleared;
  const std::vector<unsigned> known = {kOfAPut, 0, kOfAGet, kOfAGet, kFlagAnnounced,
                                       // in the order of one_of_each_kind
                                       kFlagTracked, kFlagMore, 0, 0};
  const auto messages = one_of_each_kind();
  ASSERT_EQ(known.size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    for (unsigned bit = 1; bit <= 0x80; bit <<= 1) {
      if ((known[i] & bit) != 0) continue;
      const unsigned own = std::to_integer<unsigned>(messages[i][2]);
      EXPECT_FALSE(accepted(with_byte(messages[i], 2, own | bit)))
          << "message " << i << ", flag " << bit;
    }
  }
}

TEST(WireCodec, PutWhoseLengthIsNotItsPayloadIsRejected) {
  Request request = put(8);
  request.length = 9;
  EXPECT_FALSE(accepted(message(request, 8)));
  request.length = 8 + (std::uint64_t{1} << 32);
  EXPECT_FALSE(accepted(message(request, 8)));
}

TEST(WireCodec, AnnouncedPutMayBeLongerThanAMessageCanBe) {
  Request request = put(0);
  request.header = header(MessageKind::kPut, kFlagAnnounced | kFlagTracked);
  request.length = std::uint64_t{5} << 32;
  EXPECT_TRUE(accepted(message(request)));
}

TEST(WireCodec, AnnouncedPutWithDataIsRejected) {
  Request request = put(8);
  request.header.flags |= kFlagAnnounced;
  EXPECT_FALSE(accepted(message(request, 8)));
}

TEST(WireCodec, PutThatWantsAnAckWithoutDescriptorIsRejected) {
  Request request = put(0);
  request.header.flags |= kFlagAckWanted;
  EXPECT_FALSE(accepted(message(request)));
}

TEST(WireCodec, PutWithDescriptorThatWantsNoAckIsRejected) {
  Request request = put(0);
  request.md_handle = 5;
  EXPECT_FALSE(accepted(message(request)));
}

TEST(WireCodec, GetWithDataIsRejected) {
  Request request = get(8);
  request.header.payload_length = 8;
  EXPECT_FALSE(accepted(message(request, 8)));
}

TEST(WireCodec, GetPutWhoseLengthIsNotItsPayloadIsRejected) {
  Request request = getput(8);
  request.length = 7;
  EXPECT_FALSE(accepted(message(request, 8)));
}

TEST(WireCodec, AckWithDataIsRejected) {
  Response response = ack(8, 8);
  response.header.payload_length = 8;
  EXPECT_FALSE(accepted(message(response, 8)));
}

TEST(WireCodec, MoreManipulatedThanRequestedIsRejected) {
  EXPECT_FALSE(accepted(message(ack(8, 9))));
  EXPECT_FALSE(accepted(message(reply(8, 9), 9)));
}

TEST(WireCodec, ReplyWhoseManipulatedLengthIsNotItsPayloadIsRejected) {
  Response response = reply(8, 8);
  response.manipulated_length = 7;
  EXPECT_FALSE(accepted(message(response, 8)));
}

TEST(WireCodec, AnnouncedReplyHasNoData) {
  Response response = reply(8, 8);
  response.header.flags = kFlagAnnounced;
  EXPECT_FALSE(accepted(message(response, 8)));
  response.header.payload_length = 0;
  EXPECT_TRUE(accepted(message(response)));
}

TEST(WireCodec, ClearMaySayThatMoreFollows) {
  EXPECT_TRUE(accepted(with_byte(clear(3, {1, 2}), 2, kFlagMore)));
}

TEST(WireCodec, ClearWithoutSegmentsIsRejected) { EXPECT_FALSE(accepted(clear(0, {}))); }

TEST(WireCodec, ClearWithMoreThan64SegmentsIsRejected) {
  EXPECT_TRUE(accepted(clear(64, std::vector<std::uint64_t>(64, 1))));
  EXPECT_FALSE(accepted(clear(65, std::vector<std::uint64_t>(65, 1))));
}

TEST(WireCodec, ClearWithAnEmptySegmentIsRejected) {
  EXPECT_FALSE(accepted(clear(0, {0})));
  EXPECT_FALSE(accepted(clear(5, {5, 0})));
}

TEST(WireCodec, ClearWhoseSegmentsDoNotAddUpIsRejected) {
  EXPECT_FALSE(accepted(clear(10, {4, 5})));
  EXPECT_FALSE(accepted(clear(10, {4, 7})));
}

TEST(WireCodec, ClearWhoseSegmentsAddUpOnlyByOverflowIsRejected) {
  EXPECT_FALSE(accepted(clear(1, {std::numeric_limits<std::uint64_t>::max(), 2})));
  EXPECT_FALSE(accepted(clear(0, {std::uint64_t{1} << 63, std::uint64_t{1} << 63})));
}

TEST(WireCodec, ClearWhoseCountIsNotItsPayloadIsRejected) {
  const Bytes bytes = clear(10, {4, 6});
  EXPECT_FALSE(accepted(with_byte(bytes, offsetof(Clear, segment_count) + 3, 1)));
  EXPECT_FALSE(accepted(with_byte(bytes, offsetof(Clear, segment_count) + 3, 3)));
}

TEST(WireCodec, ClearWhoseCountMatchesOnlyIn32BitsIsRejected) {
  // 0x20000000 * 24 is a multiple of 2^32. A 32-bit product would make this count look like no
  // payload.
  const Bytes bytes = clear(0, {});
  EXPECT_FALSE(accepted(with_byte(bytes, offsetof(Clear, segment_count), 0x20)));
}

TEST(WireCodec, WrittenOrDiscardWithDataIsRejected) {
  EXPECT_FALSE(accepted(message(Written{header(MessageKind::kWritten, 0, 1), 1, 2}, 1)));
  EXPECT_FALSE(accepted(message(Discard{header(MessageKind::kDiscard, 0, 1), 1}, 1)));
}

TEST(WireCodec, MessageNeedsNoAlignment) {
  Request request = put(3);
  request.match_bits = 0x0123456789abcdef;
  const Bytes aligned = message(request, 3);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    Bytes shifted(shift);
    shifted.resize(shift + aligned.size());
    encode(request, shifted.data() + shift);
    const std::span<const std::byte> view(shifted.data() + shift, aligned.size());
    ASSERT_TRUE(parse_header(view));
    EXPECT_EQ(parse_request(view).match_bits, request.match_bits);
    EXPECT_EQ(std::memcmp(view.data(), aligned.data(), fixed_size(request.header)), 0);
  }
}

template <class T>
void expect_nothing_written_behind(const T& fixed) {
  Bytes bytes(fixed_size(fixed.header) + 1, std::byte{0xee});
  encode(fixed, bytes.data());
  EXPECT_EQ(bytes.back(), std::byte{0xee});
}

TEST(WireCodec, EncodeWritesNotAByteMoreThanTheFixedPart) {
  Request unanswered = put(0);
  unanswered.header.flags = 0;
  expect_nothing_written_behind(unanswered);
  expect_nothing_written_behind(put(0));
  expect_nothing_written_behind(get(0));
  expect_nothing_written_behind(ack(0, 0));
  expect_nothing_written_behind(Discard{header(MessageKind::kDiscard), 0});
}

TEST(WireCodec, RequestEndsWhereItHasNothingMoreToSay) {
  Request unanswered = put(8);
  unanswered.header.flags = 0;
  EXPECT_EQ(fixed_size(unanswered.header), offsetof(Request, md_handle));
  EXPECT_EQ(fixed_size(put(8).header), offsetof(Request, return_offset));
  EXPECT_EQ(fixed_size(get(8).header), offsetof(Request, atomic_operation));
  EXPECT_EQ(fixed_size(getput(8).header), offsetof(Request, atomic_operation));
  EXPECT_EQ(fixed_size(header(MessageKind::kAtomic)), offsetof(Request, operand));
  EXPECT_EQ(fixed_size(header(MessageKind::kFetchAtomic)), offsetof(Request, operand));
  EXPECT_EQ(fixed_size(header(MessageKind::kSwap)), sizeof(Request));
}

TEST(WireCodec, PutThatNothingAnswersHasNoDescriptorAndNoToken) {
  Request unanswered = put(8);
  unanswered.header.flags = 0;
  unanswered.match_bits = 7;
  unanswered.md_handle = 5;  // is not sent
  unanswered.sender_token = 6;
  const Bytes bytes = message(unanswered, 8);
  ASSERT_TRUE(accepted(bytes));
  const Request parsed = parse_request(bytes);
  EXPECT_EQ(parsed.match_bits, 7U);
  EXPECT_EQ(parsed.md_handle, kNoDescriptor);
  EXPECT_EQ(parsed.md_generation, 0U);
  EXPECT_EQ(parsed.sender_token, 0U);
  EXPECT_EQ(parsed.return_offset, 0U);
}

TEST(WireCodec, PayloadIsAViewOfWhatFollowsTheFixedPart) {
  const Response fixed = reply(4, 4);
  const Bytes bytes = message(fixed, 4);
  const auto payload = payload_of(bytes, fixed.header);
  EXPECT_EQ(payload.data(), bytes.data() + sizeof(Response));
  EXPECT_EQ(payload.size(), 4U);
}

}  // namespace
