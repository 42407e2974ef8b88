#include "portals/engine/matching/match_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tests/sanitized.h"

namespace lintel::portals {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ProcessId process(std::uint32_t nid, std::uint32_t pid) { return {NodeId{nid}, Pid{pid}}; }

constexpr std::uint64_t kAllBits = ~0ULL;

// A list whose entries are named by the order of creation: 0, 1, 2, ...
class MatchListTest : public ::testing::Test {
 protected:
  MatchEntry& make(ProcessId from, std::uint64_t match_bits, std::uint64_t ignore_bits = 0) {
    MatchEntry& entry =
        entries_.emplace_back(MatchCriteria{from, match_bits, ignore_bits}, 0U, true);
    names_[&entry] = static_cast<int>(names_.size());
    return entry;
  }
  MatchEntry& attach(ProcessId from, std::uint64_t match_bits, std::uint64_t ignore_bits = 0,
                     ListEnd end = ListEnd::kTail) {
    MatchEntry& entry = make(from, match_bits, ignore_bits);
    list_.attach(entry, end);
    list_.set_matchable(entry, true);
    return entry;
  }
  MatchEntry& insert(MatchEntry& base, Side side, ProcessId from, std::uint64_t match_bits,
                     std::uint64_t ignore_bits = 0) {
    MatchEntry& entry = make(from, match_bits, ignore_bits);
    list_.insert(entry, base, side);
    list_.set_matchable(entry, true);
    return entry;
  }
  // Adds more entries than linear search covers, none of which matches a request of these tests, so
  // that later ones use the hash tables.
  void fill_with_others() {
    for (std::uint32_t i = 0; i < 2 * MatchIndex::kWalked; ++i) attach(process(99, i), 99);
  }

  MatchEntry* find(ProcessId from, std::uint64_t match_bits) {
    return list_.find(from, match_bits, [](MatchEntry&) { return true; });
  }
  // Returns every entry that is tried, in order, when all refuse.
  std::vector<int> asked(ProcessId from, std::uint64_t match_bits) {
    std::vector<int> result;
    list_.find(from, match_bits, [&](MatchEntry& entry) {
      result.push_back(names_.at(&entry));
      return false;
    });
    return result;
  }
  std::vector<int> order() {
    std::vector<int> result;
    list_.for_each([&](MatchEntry& entry) { result.push_back(names_.at(&entry)); });
    return result;
  }

  std::deque<MatchEntry> entries_;
  std::map<MatchEntry*, int> names_;
  MatchList list_;  // destroyed after its entries, which unlink themselves
};

TEST_F(MatchListTest, AnEmptyListMatchesNothing) {
  EXPECT_TRUE(list_.empty());
  EXPECT_EQ(find(process(1, 1), 7), nullptr);
}

TEST_F(MatchListTest, AttachAtTheTailGoesBehindAllAndAtTheHeadBeforeAll) {
  attach(process(1, 1), 7, 0, ListEnd::kTail);
  attach(process(1, 1), 7, 0, ListEnd::kTail);
  attach(process(1, 1), 7, 0, ListEnd::kHead);
  attach(process(1, 1), 7, 0, ListEnd::kHead);
  EXPECT_THAT(order(), ElementsAre(3, 2, 0, 1));
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(3, 2, 0, 1));
}

TEST_F(MatchListTest, InsertGoesImmediatelyBeforeOrAfterItsBase) {
  MatchEntry& first = attach(process(1, 1), 7);
  MatchEntry& second = attach(process(1, 1), 7);
  insert(second, Side::kBefore, process(1, 1), 7);
  insert(first, Side::kAfter, process(1, 1), 7);
  insert(first, Side::kBefore, process(1, 1), 7);
  insert(second, Side::kAfter, process(1, 1), 7);
  EXPECT_THAT(order(), ElementsAre(4, 0, 3, 2, 1, 5));
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(4, 0, 3, 2, 1, 5));
}

TEST_F(MatchListTest, EntriesInsertedBeforeAMarkStandInTheOrderOfInsertion) {
  MatchEntry& mark = attach(process(0, 0), 0);
  std::vector<int> expected;
  for (int i = 1; i <= 1000; ++i) {
    insert(mark, Side::kBefore, process(1, 1), 7);
    expected.push_back(i);
  }
  EXPECT_EQ(asked(process(1, 1), 7), expected);
}

TEST_F(MatchListTest, ASingleGapTakesAnyNumberOfInsertions) {
  MatchEntry& left = attach(process(1, 1), 7);
  MatchEntry* right = &attach(process(1, 1), 7);
  std::deque<int> expected{0, 1};
  // each between the two newest, alternately left and right of the last one
  for (int i = 2; i < 3000; ++i) {
    right = &insert(i % 3 == 0 ? left : *right, i % 3 == 0 ? Side::kAfter : Side::kBefore,
                    process(1, 1), 7);
    const auto place =
        i % 3 == 0 ? expected.begin() + 1 : std::find(expected.begin(), expected.end(), i - 1);
    expected.insert(place, i);
  }
  EXPECT_EQ(order(), std::vector<int>(expected.begin(), expected.end()));
  EXPECT_EQ(asked(process(1, 1), 7), order());
}

// Receives come and go behind one that stays, until the order numbers of the list are used up.
TEST_F(MatchListTest, AttachingAtOneEndGoesOnForEver) {
  for (const ListEnd end : {ListEnd::kTail, ListEnd::kHead}) {
    std::deque<MatchEntry> receives;
    MatchList list;
    for (int i = 0; i < 5; ++i)
      list.attach(receives.emplace_back(MatchCriteria{process(1, 1), 7, 0}, 0U, true), end);
    for (MatchEntry& receive : receives) list.set_matchable(receive, true);
    // the numbers are used up after eight million
    constexpr std::size_t kTimes = lintel::testing::kSanitized ? 90'000 : 9'000'000;
    for (std::size_t i = 0; i < kTimes; ++i) {
      MatchEntry& oldest = receives[1 + i % 4];
      list.remove(oldest);
      list.attach(oldest, end);
      list.set_matchable(oldest, true);
      if (i % 64 != 0) continue;
      std::vector<const MatchEntry*> expected{&receives[0], &receives[1 + (i + 1) % 4],
                                              &receives[1 + (i + 2) % 4],
                                              &receives[1 + (i + 3) % 4], &oldest};
      if (end == ListEnd::kHead) std::reverse(expected.begin(), expected.end());
      std::vector<const MatchEntry*> seen;
      list.find(process(1, 1), 7, [&](MatchEntry& entry) {
        seen.push_back(&entry);
        return false;
      });
      ASSERT_EQ(seen, expected) << i;
    }
  }
}

// An entry must find its position among many with the same key, whatever the order in which they
// become matchable.
TEST_F(MatchListTest, EqualEntriesMayBecomeMatchableInAnyOrder) {
  constexpr std::size_t kMany = 2000;
  std::vector<int> expected;
  for (std::size_t i = 0; i < kMany; ++i) {
    list_.attach(make(process(kAnyId, kAnyId), 0, kAllBits), ListEnd::kTail);
    expected.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < kMany; ++i) list_.set_matchable(entries_[i * 1237 % kMany], true);
  EXPECT_EQ(asked(process(1, 1), 7), expected);
}

TEST_F(MatchListTest, AnExactEntryTakesOnlyItsInitiatorAndBits) {
  MatchEntry& entry = attach(process(10, 20), 0x5);
  EXPECT_EQ(find(process(10, 20), 0x5), &entry);
  EXPECT_EQ(find(process(11, 20), 0x5), nullptr);
  EXPECT_EQ(find(process(10, 21), 0x5), nullptr);
  EXPECT_EQ(find(process(20, 10), 0x5), nullptr);
  EXPECT_EQ(find(process(10, 20), 0x4), nullptr);
}

TEST_F(MatchListTest, IgnoredBitsDoNotMatterOnEitherSide) {
  fill_with_others();
  MatchEntry& entry = attach(process(1, 1), 0xff0f, 0x00ff);  // ones under the mask
  EXPECT_EQ(find(process(1, 1), 0xff00), &entry);
  EXPECT_EQ(find(process(1, 1), 0xfff0), &entry);
  EXPECT_EQ(find(process(1, 1), 0xfe0f), nullptr);
}

TEST_F(MatchListTest, IgnoringEveryBitTakesEveryBit) {
  fill_with_others();
  MatchEntry& entry = attach(process(1, 1), 0x123, kAllBits);
  EXPECT_EQ(find(process(1, 1), 0), &entry);
  EXPECT_EQ(find(process(1, 1), kAllBits), &entry);
}

TEST_F(MatchListTest, NodeAndProcessAreWildSeparately) {
  fill_with_others();
  attach(process(kAnyId, 5), 7);
  attach(process(6, kAnyId), 7);
  attach(process(kAnyId, kAnyId), 7);
  const int any_node = 2 * MatchIndex::kWalked;
  EXPECT_THAT(asked(process(6, 5), 7), ElementsAre(any_node, any_node + 1, any_node + 2));
  EXPECT_THAT(asked(process(1, 5), 7), ElementsAre(any_node, any_node + 2));
  EXPECT_THAT(asked(process(6, 1), 7), ElementsAre(any_node + 1, any_node + 2));
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(any_node + 2));
  EXPECT_THAT(asked(process(1, 1), 8), IsEmpty());
}

TEST_F(MatchListTest, ARequestFromTheWildcardsNumberDoesNotMatchExactEntries) {
  fill_with_others();
  attach(process(6, 5), 7);
  EXPECT_EQ(find(process(kAnyId, kAnyId), 7), nullptr);
}

TEST_F(MatchListTest, ARefusalGoesOnToTheNextThatMatches) {
  MatchEntry& refused = attach(process(1, 1), 7);
  MatchEntry& taken = attach(process(1, 1), 7);
  attach(process(1, 1), 7);
  EXPECT_EQ(list_.find(process(1, 1), 7, [&](MatchEntry& entry) { return &entry != &refused; }),
            &taken);
}

TEST_F(MatchListTest, NoEntryBehindTheWinnerIsAsked) {
  fill_with_others();
  attach(process(1, 1), 7);
  MatchEntry& winner = attach(process(kAnyId, kAnyId), 7);
  attach(process(1, 1), 7);
  std::vector<const MatchEntry*> seen;
  list_.find(process(1, 1), 7, [&](MatchEntry& entry) {
    seen.push_back(&entry);
    return &entry == &winner;
  });
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen.back(), &winner);
}

TEST_F(MatchListTest, OrderHoldsAcrossExactAndWildcardEntries) {
  fill_with_others();
  const int n = 2 * MatchIndex::kWalked;
  attach(process(1, 1), 7);                                  // n
  attach(process(kAnyId, kAnyId), 0, 0xff);                  // n + 1
  attach(process(1, 1), 7);                                  // n + 2
  attach(process(kAnyId, 1), 7);                             // n + 3
  attach(process(1, kAnyId), 0x100, 0x1ff);                  // n + 4
  attach(process(1, 1), 7);                                  // n + 5
  attach(process(kAnyId, kAnyId), 0, 0xff, ListEnd::kHead);  // n + 6
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(n + 6, n, n + 1, n + 2, n + 3, n + 4, n + 5));
}

TEST_F(MatchListTest, OfIdenticalEntriesTheFirstInTheListWins) {
  MatchEntry& second = attach(process(1, 1), 7);
  MatchEntry& first = attach(process(1, 1), 7, 0, ListEnd::kHead);
  EXPECT_EQ(find(process(1, 1), 7), &first);
  list_.remove(first);
  EXPECT_EQ(find(process(1, 1), 7), &second);
}

TEST_F(MatchListTest, AnEntryIsNotFoundUntilItIsMatchable) {
  MatchEntry& entry = make(process(1, 1), 7);
  list_.attach(entry, ListEnd::kTail);
  EXPECT_EQ(find(process(1, 1), 7), nullptr);
  EXPECT_EQ(list_.size(), 1U);
  list_.set_matchable(entry, true);
  EXPECT_EQ(find(process(1, 1), 7), &entry);
}

TEST_F(MatchListTest, AnEntryThatStopsBeingMatchableIsSkippedAndKeepsItsPlace) {
  fill_with_others();
  const int n = 2 * MatchIndex::kWalked;
  attach(process(1, 1), 7);
  MatchEntry& middle = attach(process(1, 1), 7);
  attach(process(1, 1), 7);
  list_.set_matchable(middle, false);
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(n, n + 2));
  list_.set_matchable(middle, true);
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(n, n + 1, n + 2));
}

TEST_F(MatchListTest, SettingMatchableTwiceIsAsGoodAsOnce) {
  MatchEntry& entry = attach(process(1, 1), 7);
  list_.set_matchable(entry, true);
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(0));
  list_.set_matchable(entry, false);
  list_.set_matchable(entry, false);
  EXPECT_THAT(asked(process(1, 1), 7), IsEmpty());
}

TEST_F(MatchListTest, ARemovedEntryIsGoneAndMayComeBackNotMatchable) {
  MatchEntry& entry = attach(process(1, 1), 7);
  list_.remove(entry);
  EXPECT_TRUE(list_.empty());
  EXPECT_EQ(find(process(1, 1), 7), nullptr);
  list_.attach(entry, ListEnd::kHead);
  EXPECT_EQ(find(process(1, 1), 7), nullptr);
}

TEST_F(MatchListTest, OrderHoldsWithMoreKindsOfMasksThanThereAreTables) {
  std::vector<int> expected;
  for (int round = 0; round < 3; ++round) {
    for (unsigned bit = 0; bit < 3 * MatchIndex::kClasses; ++bit) {
      expected.push_back(static_cast<int>(entries_.size()));
      attach(process(1, 1), 0, 1ULL << bit);
    }
  }
  EXPECT_EQ(asked(process(1, 1), 0), expected);
}

TEST_F(MatchListTest, TablesOfForgottenMasksServeNewOnes) {
  fill_with_others();
  for (unsigned bit = 0; bit < 63; ++bit) {
    MatchEntry& entry = attach(process(1, 1), 0, 1ULL << bit);
    EXPECT_EQ(find(process(1, 1), 1ULL << bit), &entry) << bit;
    EXPECT_EQ(find(process(1, 1), 1ULL << 63), nullptr) << bit;
    list_.remove(entry);
  }
}

TEST_F(MatchListTest, KeysOfOneHashAreToldApart) {
  // for this initiator one factor of the hash is zero, whatever the match bits
  const ProcessId unlucky = process(0x9E3779B9, 0x7F4A7C15);
  fill_with_others();
  std::vector<MatchEntry*> entries;
  for (std::uint64_t bits = 0; bits < 100; ++bits) entries.push_back(&attach(unlucky, bits));
  for (std::uint64_t bits = 0; bits < 100; bits += 3) list_.remove(*entries[bits]);
  for (std::uint64_t bits = 0; bits < 100; ++bits)
    EXPECT_EQ(find(unlucky, bits), bits % 3 == 0 ? nullptr : entries[bits]) << bits;
  EXPECT_EQ(find(unlucky, 100), nullptr);
}

TEST_F(MatchListTest, AVisitorMayRemoveTheEntryItIsGiven) {
  for (int i = 0; i < 10; ++i) attach(process(1, 1), 7);
  list_.for_each([&](MatchEntry& entry) {
    if (names_.at(&entry) % 2 == 0) list_.remove(entry);
  });
  EXPECT_THAT(order(), ElementsAre(1, 3, 5, 7, 9));
  EXPECT_THAT(asked(process(1, 1), 7), ElementsAre(1, 3, 5, 7, 9));
}

TEST_F(MatchListTest, AListThatDiesLetsItsEntriesGo) {
  MatchEntry& entry = make(process(1, 1), 7);
  {
    MatchList shorter;
    shorter.attach(entry, ListEnd::kTail);
    shorter.set_matchable(entry, true);
  }
  list_.attach(entry, ListEnd::kTail);
  EXPECT_THAT(order(), ElementsAre(0));
}

}  // namespace
}  // namespace lintel::portals
