// The codec's checks of a get that carries the CLEAR for its reply.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "wire_messages.h"

namespace {

using namespace lintel::test;

TEST(WireClearedGet, GetOfPortals4MayCarryTheClearForItsReply) {
  for (unsigned kind = kPortals3Kind + 1U; kind <= kHighestInterfaceKind; ++kind) {
    EXPECT_TRUE(accepted(cleared_get(10, clear_of_get(10, {10}, kind), kind))) << kind;
    EXPECT_TRUE(accepted(cleared_get(10, clear_of_get(10, {4, 6}, kind), kind))) << kind;
  }
}

TEST(WireClearedGet, GetOfMoreThanAMessageHoldsMayCarryItsClear) {
  constexpr std::uint64_t kHuge = std::uint64_t{5} << 32;
  EXPECT_TRUE(accepted(cleared_get(kHuge, clear_of_get(kHuge, {kHuge - 1, 1}))));
}

TEST(WireClearedGet, ClearOfAGetIsReadLikeAnyOther) {
  const Bytes inner = clear_of_get(10, {4, 6});
  const Bytes bytes = cleared_get(10, inner);
  const auto outer = parse_header(bytes);
  ASSERT_TRUE(outer);
  EXPECT_EQ(outer->flags, kFlagTracked | kFlagCleared);
  const auto payload = payload_of(bytes, *outer);
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), inner.begin(), inner.end()));
  const Clear parsed = parse_clear(payload);
  EXPECT_EQ(parsed.length, 10U);
  EXPECT_EQ(parsed.segment_count, 2U);
  EXPECT_EQ(parse_segment(payload_of(payload, parsed.header), 1).length, 6U);
}

TEST(WireClearedGet, GetOfPortals3WithAClearIsRejected) {
  EXPECT_FALSE(accepted(cleared_get(10, clear_of_get(10, {10}, kPortals3Kind), kPortals3Kind)));
  EXPECT_FALSE(accepted(cleared_get(10, clear_of_get(10, {10}), kPortals3Kind)));
}

TEST(WireClearedGet, GetWhoseClearSaysThatMoreFollowsIsRejected) {
  EXPECT_FALSE(accepted(cleared_get(
      10, with_byte(clear_of_get(10, {10}), offsetof(MessageHeader, flags), kFlagMore))));
}

TEST(WireClearedGet, GetWhoseClearIsOfAnotherInterfaceIsRejected) {
  for (unsigned kind = kPortals3Kind; kind <= kHighestInterfaceKind; ++kind) {
    EXPECT_EQ(accepted(cleared_get(10, clear_of_get(10, {10}, kind))), kind == kAnInterface)
        << kind;
  }
}

TEST(WireClearedGet, GetWhoseClearAsksForAnotherLengthIsRejected) {
  EXPECT_FALSE(accepted(cleared_get(10, clear_of_get(9, {9}))));
  EXPECT_FALSE(accepted(cleared_get(10, clear_of_get(11, {5, 6}))));
  EXPECT_FALSE(accepted(cleared_get(10 + (std::uint64_t{1} << 32), clear_of_get(10, {10}))));
}

TEST(WireClearedGet, GetWhoseClearDoesNotAgreeWithItselfIsRejected) {
  EXPECT_FALSE(accepted(cleared_get(10, clear_of_get(10, {4, 5}))));
  EXPECT_FALSE(accepted(cleared_get(10, clear_of_get(10, {10, 0}))));
  EXPECT_FALSE(accepted(cleared_get(0, clear_of_get(0, {}))));
  EXPECT_FALSE(
      accepted(cleared_get(10, with_byte(clear_of_get(10, {10}), offsetof(MessageHeader, version),
                                         kMessageVersion + 1U))));
}

TEST(WireClearedGet, GetWithAnotherMessageInThePlaceOfItsClearIsRejected) {
  for (const Bytes& inner : one_of_each_kind()) {
    const Bytes of_its_interface =
        with_byte(inner, offsetof(MessageHeader, interface_kind), kAnInterface);
    const bool is_clear = inner[1] == static_cast<std::byte>(MessageKind::kClear);
    EXPECT_EQ(accepted(cleared_get(3, of_its_interface)), is_clear)
        << "kind " << std::to_integer<int>(inner[1]);
  }
}

TEST(WireClearedGet, GetWithAnotherMessageThatLooksLikeItsClearIsRejected) {
  Request inner = put(0);
  inner.header.flags = 0;
  inner.header.interface_kind = kAnInterface;
  static_assert(offsetof(Request, target_nid) == offsetof(Clear, length));
  inner.target_pid = 3;
  ASSERT_TRUE(accepted(message(inner)));
  EXPECT_FALSE(accepted(cleared_get(3, message(inner))));
}

TEST(WireClearedGet, GetInAGetIsRejectedHoweverDeep) {
  Bytes nested = cleared_get(3, clear_of_get(3, {1, 2}));
  for (int depth = 0; depth < 1000; ++depth) {
    nested = cleared_get(3, nested);
    ASSERT_FALSE(accepted(nested)) << depth;
  }
}

TEST(WireClearedGet, GetWhoseClearIsCutOrFollowedByMoreIsRejected) {
  const Bytes whole = clear_of_get(10, {4, 6});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(accepted(
        cleared_get(10, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)))))
        << size << " bytes";
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(accepted(cleared_get(10, longer)));
}

TEST(WireClearedGet, FlagOfAClearAndItsBytesComeTogether) {
  const Bytes with_both = cleared_get(10, clear_of_get(10, {10}));
  EXPECT_FALSE(accepted(with_byte(with_both, offsetof(MessageHeader, flags), kFlagTracked)));
  EXPECT_FALSE(accepted(cleared_get(10, {})));
}

}  // namespace
