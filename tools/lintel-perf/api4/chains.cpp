// The chains of triggered operations.

#include <algorithm>
#include <array>
#include <cstring>

#include "api4/chains.h"
#include "contents.h"

namespace lintel::perf::api4 {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

// A triggered put without an ack, and a sum of 64-bit words.
void put(const Trigger& when, ptl_handle_md_t memory, ptl_size_t offset, ptl_size_t length,
         const ChainTarget& to) {
  check_call(PtlTriggeredPut(memory, offset, length, PTL_NO_ACK_REQ, to.process, kChainPortal,
                             to.bits, to.offset, nullptr, 0, when.counter, when.count),
             "PtlTriggeredPut");
}
void add(const Trigger& when, ptl_handle_md_t memory, ptl_size_t offset, ptl_size_t length,
         const ChainTarget& to, ptl_ack_req_t ack) {
  check_call(
      PtlTriggeredAtomic(memory, offset, length, ack, to.process, kChainPortal, to.bits, to.offset,
                         nullptr, 0, PTL_SUM, PTL_UINT64_T, when.counter, when.count),
      "PtlTriggeredAtomic");
}

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
class BarrierChain final : public Chain {
 public:
  BarrierChain(ptl_handle_ni_t ni, const ChainPlan& plan)
      : Chain(ni, plan),
        stages_(stages_of(plan.processes)),
        entered_(plan.verify && plan.rank == 0 ? plan.rounds : 0),
        seen_(plan.verify ? plan.rounds : 0),
        announced_(counter()),
        looked_(counter()) {
    for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
      const std::uint64_t behind = plan.rank + plan.processes - (std::uint64_t{1} << stage);
      for (std::uint64_t parity = 0; parity < 2; ++parity) {
        stages_[stage][parity] = counter();
        entry(static_cast<ptl_rank_t>(behind % plan.processes), bits(stage, parity), {},
              stages_[stage][parity]);
      }
    }
    if (!entered_.empty()) {
      entry(PTL_RANK_ANY, kWordBits, std::as_writable_bytes(std::span(entered_)), PTL_CT_NONE);
    }
    const auto nothing = memory({});
    const auto one =
        memory(std::as_writable_bytes(std::span(&one_, 1)), PTL_MD_EVENT_CT_ACK, announced_);
    const auto seen =
        memory(std::as_writable_bytes(std::span(seen_)), PTL_MD_EVENT_CT_REPLY, looked_);
    for (std::uint64_t round = 1; round <= plan_.rounds; ++round) {
      Trigger when = round == 1 ? Trigger{begun_, 1} : done(round - 1);
      const ChainTarget word{{.rank = 0}, kWordBits, (round - 1) * kWord};
      if (plan_.verify) {
        add(when, one, 0, kWord, word, PTL_CT_ACK_REQ);
        when = {announced_, round};
      }
      for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
        // The message, and the half of the stage's end that is not the message from behind.
        const std::uint64_t ahead = (plan_.rank + (std::uint64_t{1} << stage)) % plan_.processes;
        put(when, nothing, 0, 0, {{.rank = static_cast<ptl_rank_t>(ahead)}, bits(stage, round)});
        check_call(PtlTriggeredCTInc(stages_[stage][round % 2], {1, 0}, when.counter, when.count),
                   "PtlTriggeredCTInc");
        when = stage_done(stage, round);
      }
      if (!plan_.verify) continue;
      check_call(PtlTriggeredGet(seen, word.offset, kWord, word.process, kChainPortal, word.bits,
                                 word.offset, nullptr, when.counter, when.count),
                 "PtlTriggeredGet");
    }
    end_ = done(plan_.rounds);
    for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
      final_counts_.push_back(stage_done(stage, plan_.rounds));
      final_counts_.push_back(stage_done(stage, plan_.rounds - 1));  // the other counting event
    }
    if (plan_.verify) {
      final_counts_.insert(final_counts_.end(),
                           {{announced_, plan_.rounds}, {looked_, plan_.rounds}});
    }
  }
  ~BarrierChain() override { release(); }  // before the memory goes

  std::uint64_t verify() const override {
    for (std::uint64_t round = 1; round <= seen_.size(); ++round) {
      if (seen_[round - 1] == plan_.processes) continue;
      fail("barrier {} of {} was left when {} processes had entered it; expected {}", round,
           plan_.rounds, seen_[round - 1], plan_.processes);
    }
    return seen_.size() * stages_.size();
  }
  std::uint64_t rounds_done() const override {
    const auto [even, odd] = stages_.back();
    return successes(even) / 2 + successes(odd) / 2;
  }

 private:
  static constexpr ptl_match_bits_t kWordBits = 1ULL << 32;

  // When stage `stage` of the round is done; the last one: the round.
  Trigger stage_done(std::uint64_t stage, std::uint64_t round) const {
    return {stages_[stage][round % 2], 2 * ((round + 1) / 2)};
  }
  Trigger done(std::uint64_t round) const { return stage_done(stages_.size() - 1, round); }

  std::vector<std::array<ptl_handle_ct_t, 2>> stages_;  // of even and of odd rounds
  std::vector<std::uint64_t> entered_;  // verified, rank 0: how many have entered each round
  std::vector<std::uint64_t> seen_;     // verified: the words as this process left the round
  std::uint64_t one_ = 1;
  ptl_handle_ct_t announced_;
  ptl_handle_ct_t looked_;
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

// Match bits of the two phases of a round.
constexpr ptl_match_bits_t kDown = 1;
constexpr ptl_match_bits_t kUp = 2;

// Broadcasts and reductions: a phase down the tree, then one up, in each round.
//
// Down: a process tells its children when its parent has told it. Up: it tells its parent when all
// its children have told it, a leaf at once. The next round begins when the phase is up again.
// Rounds do not overlap anywhere, so one counting event for each phase is enough. The one of the
// phase down starts rank 0.
//
// One of the two waves carries the bytes of the round's slot; the other one's messages are empty.
// Broadcasts: puts carry them down. Reductions: atomics carry sums of 64-bit words up; each round
// has a slot of its own, in which a process finds its own words at first, and those of its subtree
// added to them at the end; at rank 0 that is the result.
class TreeChain final : public Chain {
 public:
  TreeChain(ptl_handle_ni_t ni, const ChainPlan& plan)
      : Chain(ni, plan),
        broadcasts_(plan.kind == ChainKind::kBroadcast),
        bytes_(plan.size * plan.slots()),
        children_(children_of(plan.rank, plan.processes)),
        up_(counter()),
        memory_(memory(bytes_)) {
    const std::span<std::byte> none;
    entry(PTL_RANK_ANY, kUp, broadcasts_ ? none : bytes_, up_);
    if (plan.rank > 0) {
      entry(parent_of(plan.rank), kDown, broadcasts_ ? bytes_ : none, begun_);
    }
    for (std::uint64_t index = 0; plan.verify && index < plan.slots(); ++index) {
      fill(slot(index), 0, content(index, plan.rank, plan.rank + 1));
    }
    for (std::uint64_t round = 1; round <= plan.rounds; ++round) {
      const Trigger begin = plan.rank == 0 && round > 1 ? up(round - 1) : Trigger{begun_, round};
      for (const unsigned child : children_) tell(kDown, child, round, begin);
      if (plan.rank > 0) tell(kUp, parent_of(plan.rank), round, up(round));
    }
    end_ = up(plan.rounds);
    final_counts_ = {{begun_, plan.rank == 0 ? 1 : plan.rounds},
                     {up_, plan.rounds * children_.size()}};
  }

  ~TreeChain() override { release(); }  // before the memory goes

  std::uint64_t verify() const override {
    if (broadcasts_ && plan_.rank == 0) return 0;
    const unsigned end = subtree_end(plan_.rank, plan_.processes);
    for (std::uint64_t index = 0; index < plan_.slots(); ++index) {
      const WordSequence expected =
          broadcasts_ ? content(index, 0, 1) : content(index, plan_.rank, end);
      const auto wrong = check(slot(index), 0, expected);
      if (!wrong) continue;
      if (broadcasts_) {
        fail("byte {} of {} in slot {} of {} is {:#04x}; expected {:#04x}", wrong->offset,
             plan_.size, index, plan_.slots(), wrong->found, wrong->expected);
      }
      const std::uint64_t word = wrong->offset / kWord;
      std::uint64_t found = 0;
      std::memcpy(&found, slot(index).data() + word * kWord, kWord);
      fail("word {} of reduction {} of {} is {:#x}; expected {:#x}, the sum over ranks {} to {}",
           word, index + 1, plan_.rounds, found, expected.word(word), plan_.rank, end - 1);
    }
    if (broadcasts_) return plan_.slots();
    return plan_.rank == 0 ? plan_.slots() * (plan_.processes - 1) : 0;
  }
  std::uint64_t rounds_done() const override { return successes(end_.counter) / up(1).count; }

 private:
  std::span<std::byte> slot(std::uint64_t index) const {
    return std::span(bytes_).subspan(index * plan_.size, plan_.size);
  }

  // Slot `index` with the bytes of rank 0 in a broadcast, which differ from what the others have at
  // first; in a reduction the sum of what the ranks from `first` to before `end` contribute, each
  // with a base of its own, so that no sum passes for another.
  WordSequence content(std::uint64_t index, unsigned first, unsigned end) const {
    const auto id = [&](std::uint64_t rank) {
      return pattern_id(Origin::kInitiator, plan_.serial, rank << 40 | index);
    };
    if (broadcasts_) return first == 0 ? pattern(id(0)) : poison(id(0));
    WordSequence sum{0, 0};
    for (unsigned rank = first; rank < end; ++rank) {
      const WordSequence one = pattern(id(rank));
      sum = {sum.base + one.base, sum.step + one.step};
    }
    return sum;
  }

  // One message of `phase` to `to` in this round.
  void tell(ptl_match_bits_t phase, unsigned to, std::uint64_t round, const Trigger& when) const {
    const ptl_size_t offset = plan_.slot_of(round) * plan_.size;
    const ChainTarget target{{.rank = to}, phase, offset};
    if ((phase == kDown) != broadcasts_) {
      put(when, memory_, 0, 0, {target.process, phase});
    } else if (broadcasts_) {
      put(when, memory_, offset, plan_.size, target);
    } else {
      add(when, memory_, offset, plan_.size, target, PTL_NO_ACK_REQ);
    }
  }

  // When the phase is up again in this process.
  Trigger up(std::uint64_t round) const {
    return children_.empty() ? Trigger{begun_, round} : Trigger{up_, round * children_.size()};
  }

  const bool broadcasts_;
  mutable std::vector<std::byte> bytes_;  // of all slots; the network writes into them
  const std::vector<unsigned> children_;
  const ptl_handle_ct_t up_;
  const ptl_handle_md_t memory_;
};

}  // namespace

std::unique_ptr<Chain> lay_out(ptl_handle_ni_t ni, const ChainPlan& plan) {
  if (plan.kind == ChainKind::kBarrier) return std::make_unique<BarrierChain>(ni, plan);
  return std::make_unique<TreeChain>(ni, plan);
}

}  // namespace lintel::perf::api4
