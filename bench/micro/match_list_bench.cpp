// The cost of one find() as the match list grows. Depth is the number of entries. They are attached
// in random memory order, as in a busy list.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

#include "bench/micro/entry_mix.h"
#include "portals/engine/matching/match_list.h"

namespace lintel::portals {
namespace {

constexpr std::uint64_t kTagBits = 0xffffffffULL;  // low half of the match bits, as an MPI's tag
constexpr std::uint64_t kContext = 5ULL << 48;
constexpr std::uint64_t kOtherContext = 6ULL << 48;
constexpr std::uint64_t kNoContext = 7ULL << 48;

ProcessId sender(std::size_t number) {
  return {NodeId{0x7f000001U}, Pid{static_cast<std::uint32_t>(number % 64)}};
}
std::uint64_t message(std::size_t number) { return kContext | (number / 64); }

constexpr ProcessId kAnySender{NodeId{kAnyId}, Pid{kAnyId}};

// A list of `exact` entries. With wildcards, every tenth exact entry brings three receives of
// another context, from any source, with any tag, and with both. They match none of the requests
// here.
class ListedEntries {
 public:
  ListedEntries(std::size_t exact, EntryMix mix) {
    std::vector<std::size_t> memory(exact);
    std::iota(memory.begin(), memory.end(), std::size_t{0});
    std::shuffle(memory.begin(), memory.end(), std::mt19937(1));
    std::vector<MatchEntry*> by_number(exact);
    for (const std::size_t number : memory)
      by_number[number] = &make({sender(number), message(number), 0});
    for (std::size_t number = 0; number < exact; ++number) {
      if (mix == EntryMix::kWithWildcards && number % 10 == 0) {
        append(make({kAnySender, kOtherContext | number, 0}));
        append(make({sender(number), kOtherContext, kTagBits}));
        append(make({kAnySender, kOtherContext, kTagBits}));
      }
      append(*by_number[number]);
    }
  }

  MatchList& list() { return list_; }

 private:
  MatchEntry& make(const MatchCriteria& criteria) {
    return storage_.emplace_back(criteria, 0U, true);
  }
  void append(MatchEntry& entry) {
    list_.attach(entry, ListEnd::kTail);
    list_.set_matchable(entry, true);
  }

  std::deque<MatchEntry> storage_;
  MatchList list_;
};

MatchEntry* find(MatchList& list, ProcessId from, std::uint64_t bits) {
  return list.find(from, bits, [](MatchEntry&) { return true; });
}

void find_last(benchmark::State& state, EntryMix mix) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  ListedEntries entries(depth, mix);
  for (auto _ : state) {
    std::size_t last = depth - 1;
    benchmark::DoNotOptimize(last);
    MatchEntry* found = find(entries.list(), sender(last), message(last));
    if (!found) state.SkipWithError("not found");
    benchmark::DoNotOptimize(found);
  }
}

// The last entry of a list of exact entries each time: a linear search would visit all of it.
void MatchListFindLast(benchmark::State& state) { find_last(state, EntryMix::kExact); }

// A random entry each time, so that the caches do not hold it.
void MatchListFindRandom(benchmark::State& state) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  ListedEntries entries(depth, EntryMix::kExact);
  std::vector<std::uint32_t> wanted(1U << 16);
  std::mt19937 random(2);
  for (std::uint32_t& number : wanted) number = static_cast<std::uint32_t>(random() % depth);
  std::size_t at = 0;
  for (auto _ : state) {
    const std::size_t number = wanted[at++ & 0xffff];
    MatchEntry* found = find(entries.list(), sender(number), message(number));
    if (!found) state.SkipWithError("not found");
    benchmark::DoNotOptimize(found);
  }
}

// The last exact entry, with three kinds of wildcard entries before it, so that three more tables
// are searched.
void MatchListFindLastAmongWildcards(benchmark::State& state) {
  find_last(state, EntryMix::kWithWildcards);
}

// A request that nothing matches, with three kinds of wildcard entries.
void MatchListMiss(benchmark::State& state) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  ListedEntries entries(depth, EntryMix::kWithWildcards);
  std::size_t number = 0;
  for (auto _ : state) {
    MatchEntry* found = find(entries.list(), sender(number), kNoContext | number);
    ++number;
    if (found) state.SkipWithError("found");
    benchmark::DoNotOptimize(found);
  }
}

void depths(benchmark::internal::Benchmark* b) {
  for (const int depth : {1, 10, 100, 1'000, 10'000, 100'000}) b->Arg(depth);
}
BENCHMARK(MatchListFindLast)->Apply(depths);
BENCHMARK(MatchListFindRandom)->Apply(depths);
BENCHMARK(MatchListFindLastAmongWildcards)->Apply(depths);
BENCHMARK(MatchListMiss)->Apply(depths);

// A receive is posted and consumed at a constant depth: attach, make matchable, find, remove.
void MatchListPostAndConsume(benchmark::State& state) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  ListedEntries entries(depth, EntryMix::kExact);
  MatchEntry posted(MatchCriteria{sender(1), kOtherContext | 1, 0}, 0U, true);
  for (auto _ : state) {
    entries.list().attach(posted, ListEnd::kTail);
    entries.list().set_matchable(posted, true);
    MatchEntry* found = find(entries.list(), sender(1), kOtherContext | 1);
    if (found != &posted) state.SkipWithError("not found");
    entries.list().remove(posted);
  }
}
BENCHMARK(MatchListPostAndConsume)->Apply(depths);

// Posting that many receives right before a fixed marker entry, as an MPI does, and removing them
// again.
void MatchListFillBeforeMark(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::deque<MatchEntry> receives;
  for (std::size_t i = 0; i < count; ++i)
    receives.emplace_back(MatchCriteria{sender(i), message(i), 0}, 0U, true);
  MatchEntry mark(MatchCriteria{sender(0), kNoContext, 0}, 0U, true);
  for (auto _ : state) {
    MatchList list;
    list.attach(mark, ListEnd::kTail);
    for (MatchEntry& receive : receives) {
      list.insert(receive, mark, Side::kBefore);
      list.set_matchable(receive, true);
    }
    for (MatchEntry& receive : receives) list.remove(receive);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MatchListFillBeforeMark)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lintel::portals
