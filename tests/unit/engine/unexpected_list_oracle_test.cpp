// The unexpected list compared with a plain list and linear search: the same random operations give
// the same answers, with and without memory.
#include <gtest/gtest.h>

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

#include "portals/engine/matching/unexpected_list.h"
#include "scarce_memory.h"
#include "tests/sanitized.h"

namespace lintel::portals {
namespace {

// A header as the engine makes it: the list's part and more.
struct Arrival : UnexpectedHeader {
  Arrival(ProcessId from, std::uint64_t bits, std::uint32_t number)
      : UnexpectedHeader(from, bits), name(number) {}
  std::uint32_t name;
};

// The specification in its simplest form.
struct PlainHeader {
  std::uint32_t name;
  ProcessId from;
  std::uint64_t bits;

  bool meets(const MatchCriteria& criteria) const {
    const bool nid =
        criteria.initiator.nid.value == kAnyId || criteria.initiator.nid.value == from.nid.value;
    const bool pid =
        criteria.initiator.pid.value == kAnyId || criteria.initiator.pid.value == from.pid.value;
    return nid && pid && ((bits ^ criteria.match_bits) & ~criteria.ignore_bits) == 0;
  }
};

// The ranges of random values. They are small, so that equal keys, equal masks and refusals are
// frequent.
struct Universe {
  const char* name;
  std::uint32_t ids;
  std::uint64_t bits;  // match bits are drawn below this
  std::vector<std::uint64_t> ignored;
  std::size_t usual_length;  // the list keeps about this many headers
  bool memory_runs_out;
};

class Comparison {
 public:
  Comparison(const Universe& universe, std::uint64_t seed) : universe_(universe), random_(seed) {}
  ~Comparison() { memory_is_out = false; }

  void step() {
    if (universe_.memory_runs_out && draw(20) == 0) memory_is_out = !memory_is_out;
    if (draw(5000) == 0) return drain();
    const bool grow = draw(2 * universe_.usual_length) >= plain_.size();
    switch (draw(8)) {
      case 0:
      case 1:
      case 2: return grow ? append() : remove();
      case 3: return take_all();
      default: return find();
    }
  }

  void expect_same_order() {
    std::vector<std::uint32_t> expected;
    for (const PlainHeader& header : plain_) expected.push_back(header.name);
    std::vector<std::uint32_t> found;
    list_.for_each([&](UnexpectedHeader& header) { found.push_back(name(header)); });
    ASSERT_EQ(found, expected);
    ASSERT_EQ(list_.size(), plain_.size());
  }

 private:
  using Place = std::list<PlainHeader>::iterator;

  static std::uint32_t name(const UnexpectedHeader& header) {
    return static_cast<const Arrival&>(header).name;
  }

  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  std::uint32_t draw_id() { return static_cast<std::uint32_t>(draw(universe_.ids)); }

  MatchCriteria draw_criteria() {
    const NodeId nid{draw(3) == 0 ? kAnyId : draw_id()};
    const Pid pid{draw(3) == 0 ? kAnyId : draw_id()};
    return {{nid, pid}, draw(universe_.bits), universe_.ignored[draw(universe_.ignored.size())]};
  }

  void append() {
    std::uint32_t number = static_cast<std::uint32_t>(arrivals_.size());
    if (!free_.empty()) {
      number = free_.back();
      free_.pop_back();
    } else {
      arrivals_.emplace_back();
    }
    const PlainHeader header{number, {NodeId{draw_id()}, Pid{draw_id()}}, draw(universe_.bits)};
    arrivals_[number] = std::make_unique<Arrival>(header.from, header.bits, number);
    plain_.push_back(header);
    list_.append(*arrivals_[number]);
  }

  void remove() {
    if (plain_.empty()) return;
    remove_real(
        remove_plain(std::next(plain_.begin(), static_cast<std::ptrdiff_t>(draw(plain_.size())))));
  }

  void drain() {
    while (!plain_.empty()) remove_real(remove_plain(plain_.begin()));
  }

  std::uint32_t remove_plain(Place header) {
    const std::uint32_t number = header->name;
    plain_.erase(header);
    return number;
  }

  void remove_real(std::uint32_t number) {
    list_.remove(*arrivals_[number]);
    arrivals_[number].reset();
    free_.push_back(number);
  }

  // Searches as a use-once entry does: some headers are refused before one is accepted, which is
  // claimed or only inspected.
  void find() {
    const MatchCriteria criteria = draw_criteria();
    const std::size_t refusals = draw(3) == 0 ? draw(plain_.size() + 1) : draw(3);
    std::vector<std::uint32_t> expected;
    for (const PlainHeader& header : plain_) {
      if (expected.size() <= refusals && header.meets(criteria)) expected.push_back(header.name);
    }
    std::vector<std::uint32_t> asked;
    const UnexpectedHeader* found = list_.find(criteria, [&](UnexpectedHeader& header) {
      asked.push_back(name(header));
      return asked.size() > refusals;
    });
    ASSERT_EQ(asked, expected);
    ASSERT_EQ(found != nullptr, expected.size() > refusals);
    if (!found) return;
    const std::uint32_t number = name(*found);
    ASSERT_EQ(number, expected.back());
    if (draw(4) == 0) {
      plain_.remove_if([number](const PlainHeader& header) { return header.name == number; });
      remove_real(number);
    }
  }

  // Searches as a persistent entry does: some matches are claimed at once, the others are left, up
  // to a limit.
  void take_all() {
    const MatchCriteria criteria = draw_criteria();
    const std::size_t most = 1 + draw(6);
    const std::size_t every = 1 + draw(3);
    std::vector<std::uint32_t> expected;
    for (auto at = plain_.begin(); at != plain_.end() && expected.size() < most;) {
      const auto header = at++;
      if (!header->meets(criteria)) continue;
      expected.push_back(header->name);
      if (expected.size() % every == 0) plain_.erase(header);
    }
    std::vector<std::uint32_t> visited;
    list_.for_each_match(criteria, [&](UnexpectedHeader& header) {
      visited.push_back(name(header));
      if (visited.size() % every == 0) remove_real(name(header));
      return visited.size() < most;
    });
    ASSERT_EQ(visited, expected);
  }

  Universe universe_;
  std::mt19937_64 random_;
  std::list<PlainHeader> plain_;
  std::vector<std::unique_ptr<Arrival>> arrivals_;
  std::vector<std::uint32_t> free_;
  UnexpectedList list_;
};

// From a list that is only searched linearly to one with more kinds of criteria than classes.
const std::array<Universe, 7>& universes() {
  static const std::array<Universe, 7> all{{
      {"AFewHeaders", 2, 4, {0, 1}, 5, false},
      {"OneMask", 3, 64, {0}, 60, false},
      {"MpiMasks", 3, 16, {0, 0x3, 0xc, 0xf, ~0ULL}, 60, false},
      {"MoreMasksThanClasses", 2, 8, {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32}, 60, false},
      {"IdenticalHeaders", 1, 1, {0}, 40, false},
      {"LongList", 8, 512, {0, 0xff}, 1500, false},
      {"MemoryRunsOut", 3, 16, {0, 0x3, ~0ULL}, 60, true},
  }};
  return all;
}

class UnexpectedListOracle
    : public ::testing::TestWithParam<std::tuple<std::size_t, std::uint64_t>> {};

TEST_P(UnexpectedListOracle, GivesTheAnswersOfAPlainList) {
  const auto [universe, seed] = GetParam();
  constexpr int kOperations = lintel::testing::kSanitized ? 30'000 : 100'000;
  Comparison lists(universes()[universe], seed);
  for (int i = 0; i < kOperations; ++i) {
    ASSERT_NO_FATAL_FAILURE(lists.step()) << "seed " << seed << ", operation " << i;
    if (i % 1000 == 0) {
      ASSERT_NO_FATAL_FAILURE(lists.expect_same_order()) << "seed " << seed << ", operation " << i;
    }
  }
  lists.expect_same_order();
}

std::string test_name(const ::testing::TestParamInfo<UnexpectedListOracle::ParamType>& instance) {
  const auto [universe, seed] = instance.param;
  return std::string(universes()[universe].name) + "Seed" + std::to_string(seed);
}
INSTANTIATE_TEST_SUITE_P(
    Random, UnexpectedListOracle,
    ::testing::Combine(::testing::Range<std::size_t>(0, universes().size()),
                       ::testing::Range<std::uint64_t>(1, lintel::testing::kSanitized ? 2 : 4)),
    test_name);

}  // namespace
}  // namespace lintel::portals
