// The cost of matching does not grow with the lists of a portal: exact entries and exact searches
// at depth 100,000 against depth 10. Compares medians of this thread's processor time. Both depths
// are measured alternately, so that other load slows both alike. A linear search would miss by a
// factor of thousands. bench/micro measures the cost itself.

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "portals/engine/matching/portal.h"

namespace lintel::portals {
namespace {

constexpr std::size_t kShallow = 10;
constexpr std::size_t kDeep = 100'000;
constexpr double kLargestRatio = 3;
constexpr std::uint64_t kOnlyOverflow = 1ULL << 40;  // no entry of a priority list has it
constexpr ProcessId kAnySender{NodeId{kAnyId}, Pid{kAnyId}};

ProcessId sender(std::size_t number) {
  return {NodeId{1}, Pid{static_cast<std::uint32_t>(number % 64)}};
}

std::uint64_t processor_ns() {
  timespec now{};
  EXPECT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Processor time of the median round of each, measured alternately.
struct Medians {
  Medians(const std::function<void()>& shallow, const std::function<void()>& deep) {
    constexpr std::size_t kTurns = 31;
    constexpr std::size_t kCalls = 500;
    std::vector<std::uint64_t> times[2];
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
      for (const bool is_deep : {false, true}) {
        const auto& call = is_deep ? deep : shallow;
        const std::uint64_t start = processor_ns();
        for (std::size_t i = 0; i < kCalls; ++i) call();
        times[is_deep].push_back(processor_ns() - start);
      }
    }
    for (auto& all : times) std::ranges::sort(all);
    ratio = static_cast<double>(times[1][kTurns / 2]) / static_cast<double>(times[0][kTurns / 2]);
  }
  double ratio = 0;
};

enum class Mix { kExact, kWithWildcards };

// The lists of a portal, searched as the target does: first the priority list, then the overflow
// list.
class Lists {
 public:
  // Adds `number` entries. With wildcards, one of 16 accepts any source or ignores 16 bits. None of
  // them matches the searches.
  void fill(PortalList list, std::uint64_t context, std::size_t number, Mix mix = Mix::kExact) {
    for (std::size_t i = 0; i < number; ++i) {
      const bool wild = mix == Mix::kWithWildcards && i % 16 == 0 && i + 1 != number;
      const std::uint64_t bits = wild ? 1ULL << 60 : 0;
      const MatchCriteria criteria{wild && i % 32 == 0 ? kAnySender : sender(i), bits | context | i,
                                   wild && i % 32 != 0 ? 0xffffULL : 0};
      MatchEntry& entry = entries_.emplace_back(criteria, 0U, true, list);
      portal_.list(list).attach(entry, ListEnd::kTail);
      portal_.list(list).set_matchable(entry, true);
    }
    last_ = &entries_.back();
  }
  void find_last() {
    const MatchCriteria& wanted = last_->criteria();
    const auto accepts = [](MatchEntry&) { return true; };
    MatchEntry* found = portal_.priority.find(wanted.initiator, wanted.match_bits, accepts);
    if (found == nullptr)
      found = portal_.overflow.find(wanted.initiator, wanted.match_bits, accepts);
    ASSERT_EQ(found, last_);
  }

 private:
  std::deque<MatchEntry> entries_;
  const MatchEntry* last_ = nullptr;
  Portal portal_;
};

class MatchingCost : public ::testing::TestWithParam<Mix> {};

TEST_P(MatchingCost, OfTheLastOfThePriorityListDoesNotGrow) {
  Lists shallow, deep;
  shallow.fill(PortalList::kPriority, 0, kShallow, GetParam());
  deep.fill(PortalList::kPriority, 0, kDeep, GetParam());
  EXPECT_LE(Medians([&] { shallow.find_last(); }, [&] { deep.find_last(); }).ratio, kLargestRatio);
}

TEST_P(MatchingCost, OfTheLastOfTheOverflowListDoesNotGrow) {
  Lists shallow, deep;
  shallow.fill(PortalList::kOverflow, kOnlyOverflow, kShallow, GetParam());
  deep.fill(PortalList::kOverflow, kOnlyOverflow, kDeep, GetParam());
  EXPECT_LE(Medians([&] { shallow.find_last(); }, [&] { deep.find_last(); }).ratio, kLargestRatio);
}

TEST_P(MatchingCost, OfTheLastOfTheOverflowListDoesNotGrowWithBothLists) {
  Lists shallow, deep;
  for (const auto& [lists, depth] : {std::pair(&shallow, kShallow), std::pair(&deep, kDeep)}) {
    lists->fill(PortalList::kPriority, 0, depth, GetParam());
    lists->fill(PortalList::kOverflow, kOnlyOverflow, depth, GetParam());
  }
  EXPECT_LE(Medians([&] { shallow.find_last(); }, [&] { deep.find_last(); }).ratio, kLargestRatio);
}

INSTANTIATE_TEST_SUITE_P(Mix, MatchingCost, ::testing::Values(Mix::kExact, Mix::kWithWildcards),
                         [](const auto& instance) {
                           return instance.param == Mix::kExact ? "Exact" : "AmongWildcards";
                         });

// Unexpected headers: one more arrives, is found and removed.
class Headers {
 public:
  explicit Headers(std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) list_.append(headers_.emplace_back(sender(i), i));
  }
  void come_and_go(const MatchCriteria& wanted) {
    list_.append(newest_);
    UnexpectedHeader* found = list_.find(wanted, [](UnexpectedHeader&) { return true; });
    ASSERT_EQ(found, &newest_);
    list_.remove(*found);
  }

 private:
  std::deque<UnexpectedHeader> headers_;
  UnexpectedHeader newest_{sender(0), kOnlyOverflow};
  UnexpectedList list_;
};

TEST(UnexpectedCost, OfTheLastHeaderDoesNotGrow) {
  Headers shallow(kShallow), deep(kDeep);
  const MatchCriteria wanted{sender(0), kOnlyOverflow, 0};
  EXPECT_LE(Medians([&] { shallow.come_and_go(wanted); }, [&] { deep.come_and_go(wanted); }).ratio,
            kLargestRatio);
}

TEST(UnexpectedCost, OfTheLastHeaderDoesNotGrowWithSearchesOfManyKinds) {
  Headers shallow(kShallow), deep(kDeep);
  const MatchCriteria kinds[] = {{sender(0), kOnlyOverflow, 0},
                                 {kAnySender, kOnlyOverflow, 0},
                                 {sender(0), kOnlyOverflow, 0xff},
                                 {kAnySender, kOnlyOverflow, 0xff}};
  const auto search_for = [&](Headers& headers) {
    for (const MatchCriteria& wanted : kinds) headers.come_and_go(wanted);
  };
  EXPECT_LE(Medians([&] { search_for(shallow); }, [&] { search_for(deep); }).ratio, kLargestRatio);
}

}  // namespace
}  // namespace lintel::portals
