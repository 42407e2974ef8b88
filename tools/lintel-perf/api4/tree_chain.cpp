// Down: a process tells its children when its parent has told it. Up: it tells its parent when all its
// children have told it, a leaf at once. The next round begins when the wave is up again. Rounds do not
// overlap anywhere, so one counting event for each wave is enough.
//
// One of the two waves carries the bytes of the round's slot; the other one's messages are empty.
// Broadcasts: puts carry them down. Reductions: atomics carry sums of 64-bit words up; each round has a
// slot of its own, in which a process finds its own words at first, and those of its subtree added to them
// at the end; at rank 0 that is the result.

#include <algorithm>
#include <cstring>
#include <optional>

#include "api4/chains.h"
#include "contents.h"

namespace lintel::perf::api4 {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

// A binomial tree of ranks with rank 0 at its root: a rank's parent has its lowest bit cleared, and a
// rank's subtree are the ranks from it on.
constexpr unsigned parent_of(unsigned rank) { return rank & (rank - 1); }

// One past the last rank of the subtree.
constexpr unsigned subtree_end(unsigned rank, unsigned processes) {
  return rank == 0 ? processes : std::min(processes, rank + (rank & (0U - rank)));
}

// The one with the largest subtree, which takes longest, comes first.
std::vector<unsigned> children_of(unsigned rank, unsigned processes) {
  std::vector<unsigned> children;
  for (unsigned bit = 1; rank + bit < subtree_end(rank, processes); bit <<= 1) {
    children.insert(children.begin(), rank + bit);
  }
  return children;
}

enum class Wave : ptl_match_bits_t { kDown = 1, kUp = 2 };

class TreeChain final : public CountedChain {
 public:
  TreeChain(const RankInterface& network, const ChainPlan& plan)
      : CountedChain(plan),
        carrier_(plan.kind == ChainKind::kBroadcast ? Wave::kDown : Wave::kUp),
        bytes_(plan.size * plan.slots),
        children_(children_of(plan.rank, plan.processes)),
        down_(network),
        up_(network),
        memory_(network, bytes_),
        up_entry_(network, PTL_RANK_ANY, static_cast<ptl_match_bits_t>(Wave::kUp),
                  bytes_of(Wave::kUp), &up_) {
    if (plan.rank > 0) {
      down_entry_.emplace(network, parent_of(plan.rank), static_cast<ptl_match_bits_t>(Wave::kDown),
                          bytes_of(Wave::kDown), &down_);
    }
    if (plan.verify) fill();
    for (std::uint64_t round = 1; round <= plan.rounds; ++round) {
      const Trigger begin = plan.rank == 0 && round > 1 ? up(round - 1) : Trigger{&down_, round};
      for (const unsigned child : children_) tell(Wave::kDown, child, round, begin);
      if (plan.rank > 0) tell(Wave::kUp, parent_of(plan.rank), round, up(round));
    }
  }

  std::uint64_t verify() const override {
    if (carrier_ == Wave::kDown) return plan_.rank == 0 ? 0 : check_broadcasts();
    check_sums();
    return plan_.rank == 0 ? plan_.slots * (plan_.processes - 1) : 0;
  }

  std::uint64_t rounds_done() const override {
    return children_.empty() ? down_.successes() : up_.successes() / children_.size();
  }

 private:
  std::span<std::byte> bytes_of(Wave wave) {
    return wave == carrier_ ? std::span(bytes_) : std::span<std::byte>();
  }
  template <class Bytes>
  static auto slot_in(Bytes& bytes, std::uint64_t index, std::uint64_t size) {
    return std::span(bytes).subspan(index * size, size);
  }

  // One message of `wave` to `to` in this round.
  void tell(Wave wave, unsigned to, std::uint64_t round, const Trigger& when) const {
    const ChainTarget target{to, static_cast<ptl_match_bits_t>(wave)};
    const ptl_size_t offset = plan_.slot_of(round) * plan_.size;
    if (wave != carrier_) {
      memory_.put(when, target, 0, 0);
    } else if (wave == Wave::kDown) {
      memory_.put(when, target, offset, plan_.size);
    } else {
      memory_.add(when, target, offset, offset, plan_.size, PTL_NO_ACK_REQ);
    }
  }

  // When the wave is up again in this process.
  Trigger up(std::uint64_t round) const {
    return children_.empty() ? Trigger{&down_, round} : Trigger{&up_, round * children_.size()};
  }

  void set_off() override { down_.increment(); }
  Trigger end() const override { return up(plan_.rounds); }
  std::vector<Trigger> final_counts() const override {
    return {{&down_, plan_.rank == 0 ? 1 : plan_.rounds}, {&up_, plan_.rounds * children_.size()}};
  }

  // The bytes at the beginning.
  void fill() {
    for (std::uint64_t index = 0; index < plan_.slots; ++index) {
      const auto slot = slot_in(bytes_, index, plan_.size);
      if (carrier_ == Wave::kDown) {
        (plan_.rank == 0 ? fill_pattern : fill_poison)(slot, pattern_of(index), 0);
        continue;
      }
      for (std::uint64_t word = 0; word < plan_.size / kWord; ++word) {
        const std::uint64_t value = contribution(plan_.rank, index, word);
        std::memcpy(slot.data() + word * kWord, &value, kWord);
      }
    }
  }

  std::uint64_t pattern_of(std::uint64_t index) const {
    return pattern_id(Origin::kInitiator, plan_.serial, index);
  }

  // Every byte of every slot.
  std::uint64_t check_broadcasts() const {
    for (std::uint64_t index = 0; index < plan_.slots; ++index) {
      const auto wrong = check_pattern(slot_in(bytes_, index, plan_.size), pattern_of(index), 0);
      if (!wrong) continue;
      fail("byte {} of {} in slot {} of {} is {:#04x}; expected {:#04x}", wrong->offset, plan_.size,
           index, plan_.slots, wrong->found, wrong->expected);
    }
    return plan_.slots;
  }

  // What `rank` contributes to word `word` of slot `index`. Mixed, so that no sum passes for another, and
  // carries run through all bytes.
  std::uint64_t contribution(unsigned rank, std::uint64_t index, std::uint64_t word) const {
    std::uint64_t mixed =
        (plan_.serial << 48 ^ index << 24 ^ word << 8 ^ rank) + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    return mixed ^ mixed >> 27;
  }

  // Every word of every round's sum over the subtree.
  void check_sums() const {
    const unsigned end = subtree_end(plan_.rank, plan_.processes);
    for (std::uint64_t index = 0; index < plan_.slots; ++index) {
      for (std::uint64_t word = 0; word < plan_.size / kWord; ++word) {
        std::uint64_t expected = 0;
        for (unsigned rank = plan_.rank; rank < end; ++rank) {
          expected += contribution(rank, index, word);
        }
        std::uint64_t found = 0;
        std::memcpy(&found, bytes_.data() + index * plan_.size + word * kWord, kWord);
        if (found == expected) continue;
        fail("word {} of reduction {} of {} is {:#x}; expected {:#x}, the sum over ranks {} to {}",
             word, index + 1, plan_.rounds, found, expected, plan_.rank, end - 1);
      }
    }
  }

  const Wave carrier_;
  std::vector<std::byte> bytes_;  // of all slots
  const std::vector<unsigned> children_;
  ChainCounter down_;  // of rank 0: has been set off
  ChainCounter up_;
  ChainMemory memory_;
  ChainEntry up_entry_;
  std::optional<ChainEntry> down_entry_;
};

}  // namespace

std::unique_ptr<Chain> make_tree_chain(const RankInterface& network, const ChainPlan& plan) {
  return std::make_unique<TreeChain>(network, plan);
}

}  // namespace lintel::perf::api4
