#include "portals/engine/matching/unexpected_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace lintel::portals {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProcessId process(std::uint32_t nid, std::uint32_t pid) { return {NodeId{nid}, Pid{pid}}; }

constexpr std::uint64_t kAllBits = ~0ULL;

// A list whose headers are named by the order of creation: 0, 1, 2, ...
class UnexpectedListTest : public testing::Test {
 protected:
  UnexpectedHeader& make(ProcessId from, std::uint64_t match_bits) {
    UnexpectedHeader& header = headers_.emplace_back(from, match_bits);
    names_[&header] = static_cast<int>(names_.size());
    return header;
  }
  UnexpectedHeader& arrive(ProcessId from, std::uint64_t match_bits) {
    UnexpectedHeader& header = make(from, match_bits);
    list_.append(header);
    return header;
  }
  // Adds more headers than linear search covers, so that later ones use an index. No criteria of
  // these tests admit them unless they ignore many bits.
  void fill_with_others() {
    for (std::uint32_t i = 0; i < kOthers; ++i) arrive(process(99, 90 + i), 99);
  }

  UnexpectedHeader* find(const MatchCriteria& criteria) {
    return list_.find(criteria, [](UnexpectedHeader&) { return true; });
  }
  // Returns every header that is tried, in order, when all are refused.
  std::vector<int> asked(const MatchCriteria& criteria) {
    std::vector<int> result;
    list_.find(criteria, [&](UnexpectedHeader& header) {
      result.push_back(names_.at(&header));
      return false;
    });
    return result;
  }
  std::vector<int> order() {
    std::vector<int> result;
    list_.for_each([&](UnexpectedHeader& header) { result.push_back(names_.at(&header)); });
    return result;
  }

  static constexpr int kOthers = 2 * UnexpectedList::kWalked;

  std::deque<UnexpectedHeader> headers_;
  std::map<UnexpectedHeader*, int> names_;
  UnexpectedList list_;  // behind its headers, which it unlinks when it dies
};

TEST_F(UnexpectedListTest, AnEmptyListHasNothingForAnybody) {
  EXPECT_TRUE(list_.empty());
  EXPECT_EQ(find({process(1, 1), 7, 0}), nullptr);
  EXPECT_EQ(find({process(kAnyId, kAnyId), 0, kAllBits}), nullptr);
}

TEST_F(UnexpectedListTest, HeadersStandInOrderOfArrival) {
  for (int i = 0; i < 4; ++i) arrive(process(1, 1), 7);
  EXPECT_THAT(order(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(asked({process(1, 1), 7, 0}), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(list_.size(), 4U);
}

TEST_F(UnexpectedListTest, ExactCriteriaTakeOnlyTheirInitiatorAndBits) {
  fill_with_others();
  UnexpectedHeader& header = arrive(process(10, 20), 0x5);
  EXPECT_EQ(find({process(10, 20), 0x5, 0}), &header);
  EXPECT_EQ(find({process(11, 20), 0x5, 0}), nullptr);
  EXPECT_EQ(find({process(10, 21), 0x5, 0}), nullptr);
  EXPECT_EQ(find({process(20, 10), 0x5, 0}), nullptr);
  EXPECT_EQ(find({process(10, 20), 0x4, 0}), nullptr);
}

TEST_F(UnexpectedListTest, IgnoredBitsDoNotMatterOnEitherSide) {
  fill_with_others();
  UnexpectedHeader& header = arrive(process(1, 1), 0xff0f);
  EXPECT_EQ(find({process(1, 1), 0xff00, 0x00ff}), &header);
  EXPECT_EQ(find({process(1, 1), 0xfff0, 0x00ff}), &header);  // ones under the mask
  EXPECT_EQ(find({process(1, 1), 0xfe0f, 0x00ff}), nullptr);
}

TEST_F(UnexpectedListTest, IgnoringEveryBitTakesEveryBit) {
  fill_with_others();
  arrive(process(1, 1), 0);
  arrive(process(1, 1), kAllBits);
  arrive(process(2, 1), kAllBits);
  EXPECT_THAT(asked({process(1, 1), 0x123, kAllBits}), ElementsAre(kOthers, kOthers + 1));
}

TEST_F(UnexpectedListTest, NodeAndProcessAreWildSeparately) {
  fill_with_others();
  arrive(process(6, 5), 7);
  arrive(process(1, 5), 7);
  arrive(process(6, 1), 7);
  arrive(process(6, 5), 8);
  EXPECT_THAT(asked({process(6, 5), 7, 0}), ElementsAre(kOthers));
  EXPECT_THAT(asked({process(kAnyId, 5), 7, 0}), ElementsAre(kOthers, kOthers + 1));
  EXPECT_THAT(asked({process(6, kAnyId), 7, 0}), ElementsAre(kOthers, kOthers + 2));
  EXPECT_THAT(asked({process(kAnyId, kAnyId), 7, 0}),
              ElementsAre(kOthers, kOthers + 1, kOthers + 2));
  EXPECT_THAT(asked({process(kAnyId, kAnyId), 9, 0}), IsEmpty());
}

TEST_F(UnexpectedListTest, CriteriaThatLookAtNothingTakeAllInOrderOfArrival) {
  fill_with_others();
  EXPECT_EQ(asked({process(kAnyId, kAnyId), 7, kAllBits}), order());
}

TEST_F(UnexpectedListTest, AHeaderFromTheWildcardsNumberIsAdmittedOnlyByWildCriteria) {
  fill_with_others();
  UnexpectedHeader& odd = arrive(process(kAnyId, kAnyId), 7);
  EXPECT_EQ(find({process(1, 1), 7, 0}), nullptr);
  EXPECT_EQ(find({process(kAnyId, 1), 7, 0}), nullptr);
  EXPECT_EQ(find({process(kAnyId, kAnyId), 7, 0}), &odd);
}

TEST_F(UnexpectedListTest, OfSeveralThatMatchTheFirstToArriveIsFound) {
  fill_with_others();
  UnexpectedHeader& first = arrive(process(1, 1), 7);
  UnexpectedHeader& second = arrive(process(2, 1), 7);
  EXPECT_EQ(find({process(kAnyId, 1), 7, 0}), &first);
  list_.remove(first);
  EXPECT_EQ(find({process(kAnyId, 1), 7, 0}), &second);
}

TEST_F(UnexpectedListTest, ARefusalGoesOnToTheNextThatMatchesAndNoneBehindTheWinnerIsAsked) {
  arrive(process(1, 1), 7);
  fill_with_others();
  arrive(process(1, 1), 7);
  UnexpectedHeader& winner = arrive(process(1, 1), 7);
  arrive(process(1, 1), 7);
  std::vector<int> seen;
  UnexpectedHeader* found =
      list_.find(MatchCriteria{process(1, 1), 7, 0}, [&](UnexpectedHeader& header) {
        seen.push_back(names_.at(&header));
        return &header == &winner;
      });
  EXPECT_EQ(found, &winner);
  EXPECT_THAT(seen, ElementsAre(0, kOthers + 1, kOthers + 2));
}

TEST_F(UnexpectedListTest, FindingAHeaderLeavesItInTheList) {
  fill_with_others();
  UnexpectedHeader& header = arrive(process(1, 1), 7);
  EXPECT_EQ(find({process(1, 1), 7, 0}), &header);
  EXPECT_EQ(find({process(1, 1), 7, 0}), &header);
  EXPECT_EQ(list_.size(), kOthers + 1U);
}

TEST_F(UnexpectedListTest, WhatArrivesAfterASearchIsFoundByTheNextOfItsKind) {
  fill_with_others();
  EXPECT_EQ(find({process(1, 1), 7, 0}), nullptr);
  EXPECT_EQ(find({process(kAnyId, kAnyId), 7, 0}), nullptr);
  UnexpectedHeader& header = arrive(process(1, 1), 7);
  EXPECT_EQ(find({process(1, 1), 7, 0}), &header);
  EXPECT_EQ(find({process(kAnyId, kAnyId), 7, 0}), &header);
}

TEST_F(UnexpectedListTest, WhatIsRemovedIsFoundByNoKindOfSearch) {
  fill_with_others();
  const std::vector<MatchCriteria> kinds{{process(1, 1), 7, 0},
                                         {process(kAnyId, 1), 7, 0},
                                         {process(1, kAnyId), 7, 0},
                                         {process(1, 1), 0, 0xff}};
  UnexpectedHeader& header = arrive(process(1, 1), 7);
  for (const MatchCriteria& kind : kinds) EXPECT_EQ(find(kind), &header);
  list_.remove(header);
  for (const MatchCriteria& kind : kinds) EXPECT_EQ(find(kind), nullptr);
}

TEST_F(UnexpectedListTest, ARemovedHeaderMayComeBackAtTheEndAndAsAnother) {
  UnexpectedHeader& header = arrive(process(1, 1), 7);
  arrive(process(1, 1), 7);
  fill_with_others();
  EXPECT_THAT(asked({process(1, 1), 7, 0}), ElementsAre(0, 1));
  list_.remove(header);
  list_.append(header);
  EXPECT_THAT(asked({process(1, 1), 7, 0}), ElementsAre(1, 0));
  list_.remove(header);
  header.match_bits = 8;
  list_.append(header);
  EXPECT_THAT(asked({process(1, 1), 7, 0}), ElementsAre(1));
  EXPECT_THAT(asked({process(1, 1), 8, 0}), ElementsAre(0));
}

TEST_F(UnexpectedListTest, FirstMiddleAndLastOfEqualHeadersMayGo) {
  fill_with_others();
  std::vector<UnexpectedHeader*> equal;
  for (int i = 0; i < 7; ++i) equal.push_back(&arrive(process(1, 1), 7));
  const MatchCriteria criteria{process(1, 1), 7, 0};
  ASSERT_EQ(asked(criteria).size(), 7U);
  list_.remove(*equal[6]);
  list_.remove(*equal[0]);
  list_.remove(*equal[3]);
  EXPECT_THAT(asked(criteria), ElementsAre(kOthers + 1, kOthers + 2, kOthers + 4, kOthers + 5));
  arrive(process(1, 1), 7);
  EXPECT_THAT(asked(criteria),
              ElementsAre(kOthers + 1, kOthers + 2, kOthers + 4, kOthers + 5, kOthers + 7));
}

TEST_F(UnexpectedListTest, APersistentEntryTakesAllItsMatchesInOrderOfArrival) {
  for (int i = 0; i < 3 * kOthers; ++i) arrive(process(1, 1), i % 2 == 0 ? 7 : 8);
  std::vector<int> taken;
  std::vector<int> expected;
  for (int i = 0; i < 3 * kOthers; i += 2) expected.push_back(i);
  list_.for_each_match(MatchCriteria{process(1, 1), 7, 0}, [&](UnexpectedHeader& header) {
    taken.push_back(names_.at(&header));
    list_.remove(header);
    return true;
  });
  EXPECT_EQ(taken, expected);
  EXPECT_EQ(list_.size(), 3U * kOthers / 2);
  EXPECT_THAT(asked({process(1, 1), 7, 0}), IsEmpty());
}

TEST_F(UnexpectedListTest, AnEntryThatIsFullLeavesTheRest) {
  for (int i = 0; i < 2 * kOthers; ++i) arrive(process(1, 1), 7);
  int room = kOthers + 1;
  list_.for_each_match(MatchCriteria{process(1, 1), 7, 0}, [&](UnexpectedHeader& header) {
    list_.remove(header);
    return --room != 0;
  });
  EXPECT_EQ(list_.size(), kOthers - 1U);
  EXPECT_EQ(asked({process(1, 1), 7, 0}), order());
  EXPECT_EQ(order().front(), kOthers + 1);
}

// Searches with many more masks than there are classes, one after the other, each often enough to
// get a class.
TEST_F(UnexpectedListTest, ClassesThatAreNoLongerSearchedServeNewOnes) {
  fill_with_others();
  UnexpectedHeader& header = arrive(process(1, 1), 0);
  for (unsigned bit = 0; bit < 5 * UnexpectedIndex::kClasses; ++bit) {
    for (std::uint64_t i = 0; i < 2 * UnexpectedIndex::kIdleSearches; ++i) {
      ASSERT_EQ(find({process(1, 1), 1ULL << bit, 1ULL << bit}), &header) << bit;
      ASSERT_EQ(find({process(1, 1), 1ULL << 63, 1ULL << bit}), nullptr) << bit;
    }
  }
}

TEST_F(UnexpectedListTest, MoreKindsOfCriteriaThanClassesFindTheSame) {
  fill_with_others();
  UnexpectedHeader& header = arrive(process(1, 1), 0);
  for (int round = 0; round < 100; ++round) {
    for (unsigned bit = 0; bit < 2 * UnexpectedIndex::kClasses; ++bit) {
      ASSERT_EQ(find({process(1, 1), 1ULL << bit, 1ULL << bit}), &header) << bit;
      ASSERT_EQ(find({process(1, 1), 1ULL << 63, 1ULL << bit}), nullptr) << bit;
    }
  }
}

TEST_F(UnexpectedListTest, ThousandsOfKeysComeAndGo) {
  constexpr std::uint64_t kMany = 5000;
  fill_with_others();
  std::vector<UnexpectedHeader*> headers;
  for (std::uint64_t bits = 0; bits < kMany; ++bits)
    headers.push_back(&arrive(process(1, 1), bits));
  ASSERT_EQ(find({process(1, 1), kMany - 1, 0}), headers.back());
  for (std::uint64_t bits = 0; bits < kMany; bits += 3) list_.remove(*headers[bits]);
  for (std::uint64_t bits = 0; bits < kMany; ++bits) {
    ASSERT_EQ(find({process(1, 1), bits, 0}), bits % 3 == 0 ? nullptr : headers[bits]) << bits;
  }
  EXPECT_EQ(find({process(1, 1), kMany, 0}), nullptr);
}

TEST_F(UnexpectedListTest, AVisitorOfAllMayRemoveTheHeaderItIsGiven) {
  fill_with_others();
  EXPECT_EQ(find({process(1, 1), 7, 0}), nullptr);
  list_.for_each([&](UnexpectedHeader& header) {
    if (names_.at(&header) >= 3) list_.remove(header);
  });
  EXPECT_THAT(order(), ElementsAre(0, 1, 2));
}

TEST_F(UnexpectedListTest, AListThatDiesLetsItsHeadersGo) {
  std::vector<UnexpectedHeader*> shared;
  {
    UnexpectedList shorter;
    for (int i = 0; i < kOthers; ++i) shorter.append(*shared.emplace_back(&make(process(1, 1), 7)));
    shorter.find(MatchCriteria{process(1, 1), 8, 0}, [](UnexpectedHeader&) { return true; });
  }
  for (UnexpectedHeader* header : shared) list_.append(*header);
  EXPECT_EQ(asked({process(1, 1), 7, 0}), order());
  for (UnexpectedHeader* header : shared) list_.remove(*header);
  EXPECT_TRUE(list_.empty());
}

TEST_F(UnexpectedListTest, AHeaderCostsTheEngineFortyEightBytes) {
  EXPECT_EQ(sizeof(UnexpectedHeader), 48U);
}

}  // namespace
}  // namespace lintel::portals
