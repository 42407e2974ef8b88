// When the unexpected list builds an index and when it searches linearly. The number of allocations
// shows it, because each new class allocates.
#include "portals/engine/matching/unexpected_index.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>

#include "portals/engine/matching/unexpected_list.h"
#include "scarce_memory.h"

namespace lintel::portals {
namespace {

constexpr ProcessId kSender{NodeId{1}, Pid{1}};
constexpr ProcessId kAnySender{NodeId{kAnyId}, Pid{kAnyId}};

// A list of headers from one sender with match bits 0, 1, 2 ...
class UnexpectedIndexTest : public ::testing::Test {
 protected:
  ~UnexpectedIndexTest() override { memory_is_out = false; }

  UnexpectedHeader& arrive() {
    UnexpectedHeader& header = headers_.emplace_back(kSender, std::uint64_t{headers_.size()});
    list_.append(header);
    return header;
  }
  void arrive(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) arrive();
  }
  UnexpectedHeader* find(const MatchCriteria& criteria) {
    return list_.find(criteria, [](UnexpectedHeader&) { return true; });
  }
  // Searches with criteria number `kind`, which ignore one bit that no header has.
  UnexpectedHeader* find_by_kind(unsigned kind, std::uint64_t bits) {
    return find({kSender, bits, 1ULL << (40 + kind % 24)});
  }

  // How many allocations `act` requests.
  template <class Act>
  static std::size_t allocations(Act&& act) {
    const std::size_t before = allocations_granted + allocations_refused;
    act();
    return allocations_granted + allocations_refused - before;
  }

  static constexpr unsigned kClasses = UnexpectedIndex::kClasses;
  static constexpr unsigned kMoreKinds = 2 * kClasses;
  static constexpr std::size_t kMany = 300;

  std::deque<UnexpectedHeader> headers_;
  UnexpectedList list_;  // destroyed after its headers, which unlink themselves
};

TEST_F(UnexpectedIndexTest, AListThatIsNotSearchedTakesNoMemory) {
  EXPECT_EQ(allocations([&] { arrive(kMany); }), 0U);
}

TEST_F(UnexpectedIndexTest, AShortListTakesNoMemory) {
  EXPECT_EQ(allocations([&] {
              arrive(UnexpectedList::kWalked);
              find({kSender, kMany, 0});
            }),
            0U);
}

TEST_F(UnexpectedIndexTest, ClaimingInOrderOfArrivalTakesNoMemory) {
  arrive(kMany);
  EXPECT_EQ(allocations([&] {
              for (UnexpectedHeader& header : headers_) {
                ASSERT_EQ(find({kSender, header.match_bits, 0}), &header);
                list_.remove(header);
              }
            }),
            0U);
}

TEST_F(UnexpectedIndexTest, AnEmptyListKeepsTheMemoryOfAListThatWasNotTooLong) {
  const auto fill_and_empty = [this](std::size_t count) {
    return allocations([&] {
      arrive(count);
      find({kSender, headers_.back().match_bits, 0});
      while (!list_.empty()) list_.for_each([this](UnexpectedHeader& h) { list_.remove(h); });
    });
  };
  fill_and_empty(kMany);
  EXPECT_EQ(fill_and_empty(kMany), 0U);
  fill_and_empty(2 * UnexpectedIndex::kMostKept);
  EXPECT_GT(fill_and_empty(kMany), 0U);
}

TEST_F(UnexpectedIndexTest, ASearchMayEmptyTheList) {
  const MatchCriteria all{kSender, 0, ~std::uint64_t{0}};
  for (int round = 0; round < 2; ++round) {
    arrive(2 * UnexpectedIndex::kMostKept);
    std::size_t visits = 0;
    list_.for_each_match(all, [&](UnexpectedHeader& header) {
      list_.remove(header);
      return ++visits > 0;
    });
    EXPECT_EQ(visits, 2 * UnexpectedIndex::kMostKept);
    EXPECT_TRUE(list_.empty());
  }
}

TEST_F(UnexpectedIndexTest, CriteriaThatLookAtNothingTakeNoMemory) {
  arrive(kMany);
  EXPECT_EQ(allocations([&] {
              std::size_t asked = 0;
              list_.for_each_match(MatchCriteria{kAnySender, 0, ~0ULL},
                                   [&](UnexpectedHeader&) { return ++asked != 0; });
              EXPECT_EQ(asked, kMany);
            }),
            0U);
}

TEST_F(UnexpectedIndexTest, AListOfSteadyLengthTakesNoMoreMemory) {
  arrive(kMany);
  const auto one_goes_and_one_comes = [&] {
    UnexpectedHeader& header = headers_[headers_.size() - kMany / 2];
    ASSERT_EQ(find({kSender, header.match_bits, 0}), &header);
    ASSERT_EQ(find({kAnySender, header.match_bits, 0}), &header);
    list_.remove(header);
    arrive();
  };
  for (std::size_t i = 0; i < 2 * kMany; ++i) one_goes_and_one_comes();
  EXPECT_EQ(allocations([&] {
              for (std::size_t i = 0; i < 20 * kMany; ++i) one_goes_and_one_comes();
            }),
            0U);
}

TEST_F(UnexpectedIndexTest, MoreKindsOfCriteriaThanClassesDoNotKeepIndexing) {
  arrive(kMany);
  for (unsigned kind = 0; kind < kMoreKinds; ++kind) find_by_kind(kind, kMany);
  EXPECT_EQ(allocations([&] {
              for (unsigned i = 0; i < 100 * kMoreKinds; ++i) find_by_kind(i % kMoreKinds, kMany);
            }),
            0U);
}

TEST_F(UnexpectedIndexTest, AKindThatIsNoLongerSearchedGivesItsClassToANewOne) {
  if (!counts_memory())
    GTEST_SKIP() << "the thread sanitizer's runtime has an operator new of its own";
  arrive(kMany);
  for (unsigned kind = 0; kind < kClasses; ++kind) find_by_kind(kind, kMany);
  for (unsigned i = 0; i < UnexpectedIndex::kIdleSearches; ++i)
    find_by_kind(1 + i % (kClasses - 1), kMany);
  const unsigned new_kind = kClasses;
  EXPECT_GT(allocations([&] { find_by_kind(new_kind, kMany); }), 0U);
  EXPECT_EQ(allocations([&] {
              // all but the first kept their class
              for (unsigned kind = 1; kind <= new_kind; ++kind) find_by_kind(kind, kMany);
            }),
            0U);
}

// Memory runs out at each search of a growing list in turn, so at every size of its tables.
TEST_F(UnexpectedIndexTest, WithoutMemoryEverySearchFindsWhatItWouldWithIt) {
  if (!counts_memory())
    GTEST_SKIP() << "the thread sanitizer's runtime has an operator new of its own";
  const std::size_t refused_before = allocations_refused;
  for (std::size_t first_without = 0; first_without < kMany; ++first_without) {
    std::deque<UnexpectedHeader> headers;
    UnexpectedList list;
    for (std::size_t i = 0; i < kMany; ++i) {
      list.append(headers.emplace_back(kSender, std::uint64_t{i}));
      memory_is_out = i >= first_without;
      const UnexpectedHeader* found =
          list.find(MatchCriteria{kSender, i, 0}, [](UnexpectedHeader&) { return true; });
      memory_is_out = false;
      ASSERT_EQ(found, &headers.back()) << "memory ran out at search " << first_without;
    }
  }
  EXPECT_GT(allocations_refused, refused_before);
}

TEST_F(UnexpectedIndexTest, AppendAndRemoveTakeNoMemory) {
  arrive(kMany);
  find({kSender, kMany, 0});
  EXPECT_EQ(allocations([&] {
              for (UnexpectedHeader& header : headers_) {
                list_.remove(header);
                list_.append(header);
              }
            }),
            0U);
}

TEST_F(UnexpectedIndexTest, WhenThereIsMemoryAgainTheListIsIndexedAgain) {
  if (!counts_memory())
    GTEST_SKIP() << "the thread sanitizer's runtime has an operator new of its own";
  arrive(kMany);
  memory_is_out = true;
  find({kSender, kMany, 0});
  memory_is_out = false;
  EXPECT_GT(allocations([&] { find({kSender, kMany, 0}); }), 0U);
  EXPECT_EQ(allocations([&] { find({kSender, kMany, 0}); }), 0U);
}

}  // namespace
}  // namespace lintel::portals
