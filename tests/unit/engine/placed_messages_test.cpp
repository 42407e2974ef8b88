#include "portals/engine/protocol/placed_messages.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/unit/engine/protocol_parts.h"

namespace lintel::portals {
namespace {

class PlacedMessagesTest : public ::testing::Test, public TargetParts {
 protected:
  static constexpr transport::PlacementKey kKey{11};

  SlotId append_for_peer(const DescriptorRules& with) { return append(with, kPeerName); }
  bool expect(SlotId entry) {
    kLock.is_held();
    return placed.expect(interface, entry, kPeerName, kKey);
  }

  PlacedMessages placed{transport, peers};
};

TEST_F(PlacedMessagesTest, DataAreExpectedInTheMemoryOfTheEntry) {
  ASSERT_TRUE(expect(append_for_peer(rules(option::kPut))));
  ASSERT_EQ(transport.expected.size(), 1U);
  EXPECT_EQ(transport.expected[0].from, kPeer);
  EXPECT_EQ(transport.expected[0].key, kKey);
  EXPECT_EQ(transport.expected[0].memory.data(), memory.data());
  EXPECT_EQ(transport.expected[0].memory.size(), memory.size());
}

// An entry that has been used up is gone: its put has arrived.
TEST_F(PlacedMessagesTest, DataOfAnEntryThatIsGoneAreNotExpected) {
  kLock.is_held();
  const SlotId entry = append_for_peer(rules(option::kPut));
  ASSERT_EQ(interface.entries.unlink(entry), Status::kOk);
  EXPECT_FALSE(expect(entry));
  EXPECT_TRUE(transport.expected.empty());
}

TEST_F(PlacedMessagesTest, DataThatAnEarlierEntryWouldMatchAreNotExpected) {
  append(rules(option::kPut), kAnybody, ~std::uint64_t{0});
  EXPECT_FALSE(expect(append_for_peer(rules(option::kPut))));
  EXPECT_TRUE(transport.expected.empty());
}

TEST_F(PlacedMessagesTest, LaterEntryForAnybodyDoesNotMatter) {
  const SlotId entry = append_for_peer(rules(option::kPut));
  append(rules(option::kPut), kAnybody, ~std::uint64_t{0});
  EXPECT_TRUE(expect(entry));
}

// The network puts the data into one piece of memory.
TEST_F(PlacedMessagesTest, DataForMemoryOfSeveralPiecesAreNotExpected) {
  const std::array pieces{Piece{memory.data(), 40}, Piece{memory.data() + 50, 50}};
  DescriptorRules in_pieces = rules(option::kPut);
  in_pieces.region = MemoryRegion(pieces);
  EXPECT_FALSE(expect(append_for_peer(in_pieces)));
  EXPECT_TRUE(transport.expected.empty());
}

TEST_F(PlacedMessagesTest, DataForNoMemoryAreNotExpected) {
  DescriptorRules empty = rules(option::kPut);
  empty.region = MemoryRegion(memory.data(), 0);
  EXPECT_FALSE(expect(append_for_peer(empty)));
  EXPECT_TRUE(transport.expected.empty());
}

TEST_F(PlacedMessagesTest, NetworkThatCannotExpectNowIsBelieved) {
  transport.places = false;
  EXPECT_FALSE(expect(append_for_peer(rules(option::kPut))));
  EXPECT_EQ(transport.expected.size(), 1U);
}

TEST_F(PlacedMessagesTest, WithdrawalIsThatOfTheNetwork) {
  kLock.is_held();
  for (const transport::Withdrawal one :
       {transport::Withdrawal::kNone, transport::Withdrawal::kWithdrawn,
        transport::Withdrawal::kArriving}) {
    transport.withdrawal = one;
    EXPECT_EQ(placed.withdraw(kPeerName), one);
  }
  EXPECT_EQ(transport.withdrawn, (std::vector{kPeer, kPeer, kPeer}));
}

}  // namespace
}  // namespace lintel::portals
