// The match list compared with a plain list and linear search: the same random operations give the
// same answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "portals/engine/matching/match_list.h"
#include "tests/sanitized.h"

namespace lintel::portals {
namespace {

// The specification in its simplest form.
struct PlainEntry {
  std::uint32_t name;
  MatchCriteria criteria;
  bool matchable;

  bool matches(ProcessId from, std::uint64_t bits) const {
    const bool nid =
        criteria.initiator.nid.value == kAnyId || criteria.initiator.nid.value == from.nid.value;
    const bool pid =
        criteria.initiator.pid.value == kAnyId || criteria.initiator.pid.value == from.pid.value;
    return matchable && nid && pid && ((bits ^ criteria.match_bits) & ~criteria.ignore_bits) == 0;
  }
};

// The ranges of random values. They are small, so that equal keys, equal masks and refusals are
// frequent.
struct Universe {
  const char* name;
  std::uint32_t ids;
  std::uint64_t bits;  // match bits are drawn below this
  std::vector<std::uint64_t> ignored;
  std::size_t usual_length;  // the list keeps about this many entries
};

class Comparison {
 public:
  Comparison(const Universe& universe, std::uint64_t seed) : universe_(universe), random_(seed) {}

  void step() {
    const bool grow = draw(2 * universe_.usual_length) >= plain_.size();
    switch (draw(10)) {
      case 0:
      case 1: return grow ? attach() : remove();
      case 2:
      case 3: return grow ? insert() : remove();
      case 4:
      case 5:
      case 6: return set_matchable();
      default: return find();
    }
  }

  void expect_same_order() {
    std::vector<std::uint32_t> expected;
    for (const PlainEntry& entry : plain_) expected.push_back(entry.name);
    std::vector<std::uint32_t> found;
    list_.for_each([&](MatchEntry& entry) { found.push_back(entry.id.slot); });
    ASSERT_EQ(found, expected);
    ASSERT_EQ(list_.size(), plain_.size());
  }

 private:
  using Place = std::list<PlainEntry>::iterator;

  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  std::uint32_t draw_id() {
    return draw(4) == 0 ? kAnyId : static_cast<std::uint32_t>(draw(universe_.ids));
  }

  MatchEntry& real(const PlainEntry& entry) { return *entries_[entry.name]; }

  // Makes the same entry for both lists. About half are matchable at once, as an entry with a
  // descriptor is.
  PlainEntry make() {
    const MatchCriteria criteria{{NodeId{draw_id()}, Pid{draw_id()}},
                                 draw(universe_.bits),
                                 universe_.ignored[draw(universe_.ignored.size())]};
    std::uint32_t name = static_cast<std::uint32_t>(entries_.size());
    if (!free_.empty()) {
      name = free_.back();
      free_.pop_back();
    } else {
      entries_.emplace_back();
    }
    entries_[name] = std::make_unique<MatchEntry>(criteria, 0U, false);
    entries_[name]->id.slot = name;
    return {name, criteria, draw(2) == 0};
  }

  void attach() {
    const PlainEntry entry = make();
    const bool head = draw(2) == 0;
    plain_.insert(head ? plain_.begin() : plain_.end(), entry);
    list_.attach(real(entry), head ? ListEnd::kHead : ListEnd::kTail);
    if (entry.matchable) list_.set_matchable(real(entry), true);
  }

  void insert() {
    if (plain_.empty()) return;
    // Mostly the same base, as a program uses a marker entry, but often any entry.
    const Place base =
        draw(3) == 0 ? any()
                     : std::next(plain_.begin(), static_cast<std::ptrdiff_t>(plain_.size() / 2));
    const PlainEntry entry = make();
    const bool before = draw(2) == 0;
    list_.insert(real(entry), real(*base), before ? Side::kBefore : Side::kAfter);
    plain_.insert(before ? base : std::next(base), entry);
    if (entry.matchable) list_.set_matchable(real(entry), true);
  }

  void remove() {
    if (plain_.empty()) return;
    const Place victim = any();
    list_.remove(real(*victim));
    entries_[victim->name].reset();
    free_.push_back(victim->name);
    plain_.erase(victim);
  }

  void set_matchable() {
    if (plain_.empty()) return;
    const Place entry = any();
    entry->matchable = draw(2) == 0;
    list_.set_matchable(real(*entry), entry->matchable);
  }

  void find() {
    const ProcessId from{NodeId{static_cast<std::uint32_t>(draw(universe_.ids))},
                         Pid{static_cast<std::uint32_t>(draw(universe_.ids))}};
    const std::uint64_t bits = draw(universe_.bits);
    // how many refuse before one accepts
    const std::size_t refusals = draw(3) == 0 ? draw(plain_.size() + 1) : draw(3);
    std::vector<std::uint32_t> expected;
    for (const PlainEntry& entry : plain_) {
      if (expected.size() <= refusals && entry.matches(from, bits)) expected.push_back(entry.name);
    }
    std::vector<std::uint32_t> asked;
    const MatchEntry* found = list_.find(from, bits, [&](MatchEntry& entry) {
      asked.push_back(entry.id.slot);
      return asked.size() > refusals;
    });
    ASSERT_EQ(asked, expected);
    ASSERT_EQ(found != nullptr, expected.size() > refusals);
    if (found) {
      ASSERT_EQ(found->id.slot, expected.back());
    }
  }

  Place any() {
    return std::next(plain_.begin(), static_cast<std::ptrdiff_t>(draw(plain_.size())));
  }

  Universe universe_;
  std::mt19937_64 random_;
  std::list<PlainEntry> plain_;
  std::vector<std::unique_ptr<MatchEntry>> entries_;
  std::vector<std::uint32_t> free_;
  MatchList list_;
};

// From a list that fits the linear search to one with more masks than hash tables.
const std::array<Universe, 5>& universes() {
  static const std::array<Universe, 5> all{{
      {"AFewEntries", 2, 4, {0, 1}, 5},
      {"OneMask", 3, 64, {0}, 60},
      {"MpiMasks", 3, 16, {0, 0x3, 0xc, 0xf, ~0ULL}, 60},
      {"MoreMasksThanTables", 2, 8, {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32}, 60},
      {"IdenticalEntries", 1, 1, {0}, 40},
  }};
  return all;
}

class MatchListOracle : public ::testing::TestWithParam<std::tuple<std::size_t, std::uint64_t>> {};

TEST_P(MatchListOracle, GivesTheAnswersOfAPlainList) {
  const auto [universe, seed] = GetParam();
  constexpr int kOperations = lintel::testing::kSanitized ? 30'000 : 100'000;
  Comparison lists(universes()[universe], seed);
  for (int i = 0; i < kOperations; ++i) {
    ASSERT_NO_FATAL_FAILURE(lists.step()) << "operation " << i;
    if (i % 1000 == 0) {
      ASSERT_NO_FATAL_FAILURE(lists.expect_same_order()) << "operation " << i;
    }
  }
  lists.expect_same_order();
}

std::string test_name(const ::testing::TestParamInfo<MatchListOracle::ParamType>& instance) {
  const auto [universe, seed] = instance.param;
  return std::string(universes()[universe].name) + "Seed" + std::to_string(seed);
}
INSTANTIATE_TEST_SUITE_P(
    Random, MatchListOracle,
    ::testing::Combine(::testing::Range<std::size_t>(0, universes().size()),
                       ::testing::Range<std::uint64_t>(1, lintel::testing::kSanitized ? 2 : 4)),
    test_name);

}  // namespace
}  // namespace lintel::portals
