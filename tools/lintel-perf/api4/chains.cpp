// The chains of triggered operations.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "api4/chain_objects.h"
#include "contents.h"

namespace lintel::perf {
namespace api4 {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

// What all chains have in common: rank 0 sets them off, and counting events tell what is done.
class CountedChain : public Chain {
 public:
  void enter() override {}
  void run() final {
    set_off();
    const Trigger last = end();
    last.counter->wait(last.count);
  }
  void settle(std::chrono::milliseconds limit) const final {
    for (const Trigger& final : final_counts()) final.counter->expect(final.count, limit);
    check_call(PtlAtomicSync(), "PtlAtomicSync");  // what others wrote is now to be read
  }

 protected:
  explicit CountedChain(const ChainPlan& plan) : plan_(plan) {}

  virtual void set_off() = 0;
  // When the last round is done here.
  virtual Trigger end() const = 0;
  // What the counters have at the end of all.
  virtual std::vector<Trigger> final_counts() const = 0;

  const ChainPlan plan_;
};

constexpr ptl_match_bits_t kWordBits = 1ULL << 32;

ptl_match_bits_t bits(std::uint64_t stage, std::uint64_t round) { return stage << 1 | round % 2; }

// Barriers by dissemination: in stage k of a round each process tells the one 2^k ranks further
// that it has entered, and that those behind it have.
//
// Stage k of a round is done when its message has come and stage k - 1 is done: two increments of
// one counting event. A message may be one round early, never two, as nobody is further than one
// round ahead of anybody: so even and odd rounds have counting events of their own, or the next
// round's message would pass for what is missing in this one.
//
// A verified chain has two more operations in each round. Before a process tells anybody that it
// has entered, it adds one to a word of that round at rank 0, and waits for the ack. When it leaves
// the round it reads that word: everybody has to be in it.
class BarrierChain final : public CountedChain {
 public:
  BarrierChain(const RankInterface& network, const ChainPlan& plan)
      : CountedChain(plan),
        entered_words_(plan.verify && plan.rank == 0 ? plan.rounds : 0),
        seen_(plan.verify ? plan.rounds : 0),
        begun_(network),
        announced_(network),
        looked_(network),
        nothing_(network, {}),
        one_memory_(network, std::as_writable_bytes(std::span(&one_, 1)), PTL_MD_EVENT_CT_ACK,
                    &announced_),
        seen_memory_(network, std::as_writable_bytes(std::span(seen_)), PTL_MD_EVENT_CT_REPLY,
                     &looked_) {
    for (std::uint64_t stage = 0; stage < stages_of(plan.processes); ++stage) {
      stages_.push_back(std::make_unique<Stage>(network));
      const std::uint64_t behind = plan.rank + plan.processes - (std::uint64_t{1} << stage);
      for (std::uint64_t parity = 0; parity < 2; ++parity) {
        add_entry(network, static_cast<ptl_rank_t>(behind % plan.processes), bits(stage, parity),
                  {}, &counter(stage, parity));
      }
    }
    if (!entered_words_.empty()) {
      add_entry(network, PTL_RANK_ANY, kWordBits, std::as_writable_bytes(std::span(entered_words_)),
                nullptr);
    }
    lay_out();
  }

  void enter() override { begun_.increment(); }

  std::uint64_t verify() const override {
    for (std::uint64_t round = 1; round <= seen_.size(); ++round) {
      if (seen_[round - 1] == plan_.processes) continue;
      fail("barrier {} of {} was left when {} processes had entered it; expected {}", round,
           plan_.rounds, seen_[round - 1], plan_.processes);
    }
    return seen_.size() * stages_.size();
  }

  std::uint64_t rounds_done() const override {
    const auto& counters = stages_.back()->counters;
    return counters[0].successes() / 2 + counters[1].successes() / 2;
  }

 private:
  struct Stage {
    explicit Stage(const RankInterface& network)
        : counters{{ChainCounter(network), ChainCounter(network)}} {}
    std::array<ChainCounter, 2> counters;  // of even and of odd rounds
  };

  void add_entry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t match_bits,
                 std::span<std::byte> memory, const ChainCounter* counted) {
    entries_.push_back(std::make_unique<ChainEntry>(network, from, match_bits, memory, counted));
  }

  const ChainCounter& counter(std::uint64_t stage, std::uint64_t round) const {
    return stages_[stage]->counters[round % 2];
  }
  // When stage `stage` of the round is done; the last one: the round.
  Trigger stage_done(std::uint64_t stage, std::uint64_t round) const {
    return {&counter(stage, round), 2 * ((round + 1) / 2)};
  }
  Trigger done(std::uint64_t round) const { return stage_done(stages_.size() - 1, round); }

  void lay_out() const {
    for (std::uint64_t round = 1; round <= plan_.rounds; ++round) {
      Trigger when = round == 1 ? Trigger{&begun_, 1} : done(round - 1);
      const ChainTarget words{0, kWordBits};
      const ptl_size_t word = (round - 1) * kWord;
      if (plan_.verify) {
        one_memory_.add(when, words, 0, word, kWord, PTL_CT_ACK_REQ);
        when = {&announced_, round};
      }
      for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
        // The message, and the half of the stage's end that is not the message from behind.
        const std::uint64_t ahead = (plan_.rank + (std::uint64_t{1} << stage)) % plan_.processes;
        nothing_.put(when, {static_cast<ptl_rank_t>(ahead), bits(stage, round)}, 0, 0);
        when.increment(counter(stage, round));
        when = stage_done(stage, round);
      }
      if (plan_.verify) seen_memory_.get(when, words, word, kWord);
    }
  }

  void set_off() override { enter(); }
  Trigger end() const override { return done(plan_.rounds); }
  std::vector<Trigger> final_counts() const override {
    std::vector<Trigger> counts;
    for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
      counts.push_back(stage_done(stage, plan_.rounds));
      counts.push_back(stage_done(stage, plan_.rounds - 1));  // the other counting event
    }
    if (plan_.verify) {
      counts.insert(counts.end(), {{&announced_, plan_.rounds}, {&looked_, plan_.rounds}});
    }
    return counts;
  }

  std::vector<std::uint64_t> entered_words_;  // verified, rank 0: how many have entered each round
  std::vector<std::uint64_t> seen_;           // verified: the words as this process left the round
  std::uint64_t one_ = 1;
  ChainCounter begun_;
  ChainCounter announced_;
  ChainCounter looked_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<ChainEntry>> entries_;
  ChainMemory nothing_;
  ChainMemory one_memory_;
  ChainMemory seen_memory_;
};

// A binomial tree of ranks with rank 0 at its root: a rank's parent has its lowest bit cleared, and
// a rank's subtree are the ranks from it on.
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

// Broadcasts and reductions: a wave down the tree, then one up, in each round.
//
// Down: a process tells its children when its parent has told it. Up: it tells its parent when all
// its children have told it, a leaf at once. The next round begins when the wave is up again.
// Rounds do not overlap anywhere, so one counting event for each wave is enough.
//
// One of the two waves carries the bytes of the round's slot; the other one's messages are empty.
// Broadcasts: puts carry them down. Reductions: atomics carry sums of 64-bit words up; each round
// has a slot of its own, in which a process finds its own words at first, and those of its subtree
// added to them at the end; at rank 0 that is the result.
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
        perf::fill(slot, 0, (plan_.rank == 0 ? pattern : poison)(pattern_of(index)));
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
      const auto wrong = check(slot_in(bytes_, index, plan_.size), 0, pattern(pattern_of(index)));
      if (!wrong) continue;
      fail("byte {} of {} in slot {} of {} is {:#04x}; expected {:#04x}", wrong->offset, plan_.size,
           index, plan_.slots, wrong->found, wrong->expected);
    }
    return plan_.slots;
  }

  // What `rank` contributes to word `word` of slot `index`. Mixed, so that no sum passes for
  // another, and carries run through all bytes.
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

std::unique_ptr<Chain> RankInterface::lay_out(const ChainPlan& plan) {
  if (plan.kind == ChainKind::kBarrier) return std::make_unique<BarrierChain>(*this, plan);
  return std::make_unique<TreeChain>(*this, plan);
}

}  // namespace api4

std::unique_ptr<ChainInterface> open_chain_interface() {
  return std::make_unique<api4::RankInterface>();
}

}  // namespace lintel::perf
