// The cost of one search of the unexpected list as the list grows. Depth is the number of headers.
// They are in random memory order, as in a busy list.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "portals/engine/matching/unexpected_list.h"

namespace lintel::portals {
namespace {

constexpr std::uint64_t kTagBits = 0xffffffffULL;  // low half of the match bits, as an MPI's tag
constexpr std::uint64_t kContext = 5ULL << 48;
constexpr std::uint64_t kNoContext = 1ULL << 60;  // no header has this bit

constexpr std::uint32_t kNode = 0x7f000001U;
constexpr std::size_t kSenders = 64;

ProcessId sender(std::size_t number) {
  return {NodeId{kNode}, Pid{static_cast<std::uint32_t>(number % kSenders)}};
}
std::uint64_t message(std::size_t number) { return kContext | (number / kSenders); }
constexpr ProcessId kAnySender{NodeId{kAnyId}, Pid{kAnyId}};

MatchCriteria exact(std::size_t number) { return {sender(number), message(number), 0}; }
MatchCriteria any_source(std::size_t number) { return {kAnySender, message(number), 0}; }
MatchCriteria any_tag(std::size_t number) { return {sender(number), message(number), kTagBits}; }
MatchCriteria any_pid(std::size_t number) {
  return {{NodeId{kNode}, Pid{kAnyId}}, message(number), 0};
}

UnexpectedHeader* find(UnexpectedList& list, const MatchCriteria& criteria) {
  return list.find(criteria, [](UnexpectedHeader&) { return true; });
}

// Headers 0 to depth - 1, in this order in the list.
class Headers {
 public:
  explicit Headers(std::size_t depth) : storage_(depth), by_number_(depth) {
    std::vector<std::size_t> memory(depth);
    std::iota(memory.begin(), memory.end(), std::size_t{0});
    std::shuffle(memory.begin(), memory.end(), std::mt19937(1));
    for (std::size_t i = 0; i < depth; ++i) {
      UnexpectedHeader& header = *(by_number_[memory[i]] = &storage_[i]);
      header.initiator = sender(memory[i]);
      header.match_bits = message(memory[i]);
    }
    append_all();
  }

  void append_all() {
    for (UnexpectedHeader* header : by_number_) list_.append(*header);
  }

  // Brings the class of these criteria up to date, so that a following loop measures only searches.
  void index(MatchCriteria criteria) {
    criteria.match_bits |= kNoContext;
    find(list_, criteria);
  }

  UnexpectedList& list() { return list_; }

 private:
  std::deque<UnexpectedHeader> storage_;
  std::vector<UnexpectedHeader*> by_number_;
  UnexpectedList list_;
};

void find_one(benchmark::State& state, Headers& headers, std::size_t wanted,
              MatchCriteria (*criteria)(std::size_t)) {
  headers.index(criteria(wanted));
  for (auto _ : state) {
    benchmark::DoNotOptimize(wanted);
    UnexpectedHeader* found = find(headers.list(), criteria(wanted));
    if (!found) state.SkipWithError("not found");
    benchmark::DoNotOptimize(found);
  }
}

std::size_t depth(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

// The last header that arrived, or the one in the middle, each time: a linear search would visit
// all before it.
void UnexpectedFindLast(benchmark::State& state) {
  Headers headers(depth(state));
  find_one(state, headers, depth(state) - 1, exact);
}
void UnexpectedFindMiddle(benchmark::State& state) {
  Headers headers(depth(state));
  find_one(state, headers, depth(state) / 2, exact);
}

// The last message's tag from any source: finds the first of the last few senders of that tag.
void UnexpectedFindAnySource(benchmark::State& state) {
  Headers headers(depth(state));
  find_one(state, headers, depth(state) - 1, any_source);
}

// Any tag of the last sender: found among the first headers.
void UnexpectedFindAnyTag(benchmark::State& state) {
  Headers headers(depth(state));
  find_one(state, headers, depth(state) - 1, any_tag);
}

// Exact criteria, any source, any pid and any tag in turn, each for a random header, so that the
// caches do not hold it.
void UnexpectedFindMixedRandom(benchmark::State& state) {
  Headers headers(depth(state));
  std::vector<std::uint32_t> wanted(1U << 16);
  std::mt19937 random(2);
  for (std::uint32_t& number : wanted) number = static_cast<std::uint32_t>(random() % depth(state));
  constexpr MatchCriteria (*kKinds[])(std::size_t) = {exact,   any_source, exact,
                                                      any_pid, exact,      any_tag};
  std::size_t at = 0;
  std::size_t kind = 0;
  for (const auto& criteria : kKinds) headers.index(criteria(0));
  for (auto _ : state) {
    UnexpectedHeader* found = find(headers.list(), kKinds[kind](wanted[at++ & 0xffff]));
    kind = kind == std::size(kKinds) - 1 ? 0 : kind + 1;
    if (!found) state.SkipWithError("not found");
    benchmark::DoNotOptimize(found);
  }
}

// Exact criteria that no header matches: the cost of a receive that is posted before its message.
void UnexpectedMiss(benchmark::State& state) {
  Headers headers(depth(state));
  std::size_t number = 0;
  headers.index(exact(0));
  for (auto _ : state) {
    MatchCriteria criteria = exact(number++);
    criteria.match_bits |= kNoContext;
    UnexpectedHeader* found = find(headers.list(), criteria);
    if (found) state.SkipWithError("found");
    benchmark::DoNotOptimize(found);
  }
}

void depths(benchmark::internal::Benchmark* b) {
  for (const int number : {0, 1, 10, 100, 1'000, 10'000, 100'000}) b->Arg(number);
}
void depths_with_headers(benchmark::internal::Benchmark* b) {
  for (const int number : {1, 10, 100, 1'000, 10'000, 100'000}) b->Arg(number);
}
BENCHMARK(UnexpectedFindLast)->Apply(depths_with_headers);
BENCHMARK(UnexpectedFindMiddle)->Apply(depths_with_headers);
BENCHMARK(UnexpectedFindAnySource)->Apply(depths_with_headers);
BENCHMARK(UnexpectedFindAnyTag)->Apply(depths_with_headers);
BENCHMARK(UnexpectedFindMixedRandom)->Apply(depths_with_headers);
BENCHMARK(UnexpectedMiss)->Apply(depths);

constexpr MatchCriteria (*kClasses[])(std::size_t) = {exact, any_source, any_tag};

// One header is added to a list of that many and removed, with that many classes in use and no
// search meanwhile.
void UnexpectedAppendRemove(benchmark::State& state) {
  Headers headers(depth(state));
  const auto classes = static_cast<std::size_t>(state.range(1));
  for (std::size_t i = 0; i < classes; ++i) headers.index(kClasses[i](0));
  UnexpectedHeader header(sender(depth(state)), message(depth(state)));
  for (auto _ : state) {
    headers.list().append(header);
    benchmark::ClobberMemory();
    headers.list().remove(header);
  }
}
BENCHMARK(UnexpectedAppendRemove)
    ->ArgNames({"depth", "classes"})
    ->ArgsProduct({{10, 1'000, 100'000}, {0, 1, 3}});

// The same, but each class is searched for the header before it is removed. The searches are part
// of the time.
void UnexpectedAppendSearchRemove(benchmark::State& state) {
  Headers headers(depth(state));
  const auto classes = static_cast<std::size_t>(state.range(1));
  UnexpectedHeader header(ProcessId{NodeId{kNode}, Pid{kSenders}}, kContext | kTagBits);
  const MatchCriteria kinds[] = {{header.initiator, header.match_bits, 0},
                                 {kAnySender, header.match_bits, 0},
                                 {header.initiator, header.match_bits, kTagBits}};
  for (auto _ : state) {
    headers.list().append(header);
    for (std::size_t i = 0; i < classes; ++i) {
      if (find(headers.list(), kinds[i]) != &header) state.SkipWithError("not found");
    }
    headers.list().remove(header);
  }
}
BENCHMARK(UnexpectedAppendSearchRemove)
    ->ArgNames({"depth", "classes"})
    ->ArgsProduct({{10, 1'000, 100'000}, {1, 3}});

enum class Claim { kInOrder, kReverse, kRandom };

// A burst arrives at an empty list, then an exact entry claims each header. The time includes
// building the index.
void UnexpectedBurst(benchmark::State& state, Claim order) {
  std::vector<std::size_t> claims(depth(state));
  std::iota(claims.begin(), claims.end(), std::size_t{0});
  if (order == Claim::kReverse) std::reverse(claims.begin(), claims.end());
  if (order == Claim::kRandom) std::shuffle(claims.begin(), claims.end(), std::mt19937(3));
  Headers headers(depth(state));
  for (auto _ : state) {
    for (const std::size_t number : claims) {
      UnexpectedHeader* found = find(headers.list(), exact(number));
      if (!found) return state.SkipWithError("not found");
      headers.list().remove(*found);
    }
    headers.append_all();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(UnexpectedBurst, in_order, Claim::kInOrder)
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(UnexpectedBurst, reverse, Claim::kReverse)
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(UnexpectedBurst, random, Claim::kRandom)
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lintel::portals
