// The cost of one message of Portals 4 at its target as the lists of its portal grow: the complete
// delivery of an 8-byte put, without a network. Depth is the number of entries in the named list,
// or of unexpected headers. The message matches the last of them, so that a linear search would
// visit all of them.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/micro/entry_mix.h"
#include "bench/micro/null_transport.h"
#include "portals/engine/protocol/endpoint.h"

namespace {

using namespace lintel;
using namespace lintel::portals;

constexpr std::uint8_t kInterfaceKind = 1;
constexpr ProcessId kSender{NodeId{2}, Pid{2}};
constexpr ProcessId kAnySender{NodeId{kAnyId}, Pid{kAnyId}};
constexpr std::uint64_t kTagBits = 0xffffffffULL;  // low half of the match bits, as an MPI's tag
constexpr std::uint64_t kOtherContext = 6ULL << 48;
constexpr std::uint64_t kOnlyOverflow = 7ULL << 48;  // no entry of a priority list has it
// entries of two lists of the greatest depth fit the slots of a handle
constexpr std::uint32_t kMost = 250'000;

// Entry `number` of a list: exact, or with wildcards one of 16 from any source, with any tag, or
// both. Those match none of the messages here.
MatchCriteria criteria(std::uint64_t context, std::uint64_t number, EntryMix mix) {
  if (mix == EntryMix::kWithWildcards && number % 16 == 0) {
    switch (number / 16 % 3) {
      case 0: return {kAnySender, kOtherContext | number, 0};
      case 1: return {kSender, kOtherContext, kTagBits};
      default: return {kAnySender, kOtherContext, kTagBits};
    }
  }
  return {kSender, context | number, 0};
}

// One process with one portal, which has an event queue.
class PutTarget {
 public:
  PutTarget()
      : endpoint_(std::make_unique<bench::NullTransport>(), {}, counters_),
        interface_(kInterfaceKind, kSelf, limits(), counters_, pending_work_) {
    endpoint_.attach(interface_);
    std::uint32_t portal = 0;
    good_ = interface_.events.allocate_queue(256, nullptr, queue_) == Status::kOk &&
            interface_.portals.allocate({}, queue_, bench::kPutPortal, portal) == Status::kOk;
  }
  PutTarget(const PutTarget&) = delete;
  PutTarget& operator=(const PutTarget&) = delete;
  ~PutTarget() { endpoint_.detach(interface_); }

  bool good() const { return good_; }

  bool append(PortalList list, const MatchCriteria& wanted, std::uint32_t options = 0,
              bool use_once = false) {
    kLock.is_held();
    SlotId made;
    return interface_.unexpected.append_entry(bench::kPutPortal, list, wanted, rules(options),
                                              use_once, made) == Status::kOk;
  }
  // `depth` entries, without LINK events.
  bool fill(PortalList list, std::uint64_t context, std::uint64_t depth, EntryMix mix) {
    for (std::uint64_t number = 0; number < depth; ++number) {
      if (!append(list, criteria(context, number == depth - 1 ? number | 1U << 24 : number, mix),
                  option::kHeaderDisable))
        return false;
    }
    return true;
  }
  void deliver(const std::vector<std::byte>& message) {
    kLock.is_held();
    endpoint_.on_message(transport::PeerId(0), message);
  }
  // Takes one event. Returns false if there is none or it is of another kind.
  bool saw(EventKind kind) {
    kLock.is_held();
    const Event* event = nullptr;
    return interface_.events.queue(queue_)->take(event) == EventQueue::Taken::kEvent &&
           event->kind == kind;
  }

 private:
  static constexpr Identity kSelf{{NodeId(1), Pid(1)}, UserId(1000), JobId(0)};
  static InterfaceLimits limits() {
    InterfaceLimits limits;
    limits.max_entries = limits.max_list_length = limits.max_unexpected = kMost;
    limits.max_descriptors = 1;
    return limits;
  }
  DescriptorRules rules(std::uint32_t options) {
    constexpr std::uint32_t kUsual = option::kPut | option::kManageRemote | option::kTruncate |
                                     option::kStartDisable | option::kLinkDisable |
                                     option::kUnlinkDisable;
    DescriptorRules rules;
    rules.described = {&word_, sizeof word_, kUnlimited, kUsual | options, 0, nullptr, {}};
    rules.region = MemoryRegion(&word_, sizeof word_);
    return rules;
  }

  std::uint64_t word_ = 0;
  Counters counters_;
  PendingWork pending_work_;
  Endpoint endpoint_;
  NetworkInterface interface_;
  SlotId queue_;
  bool good_ = false;
};

// The match bits of the last entry, which is exact in every mix.
std::uint64_t last(std::uint64_t context, std::uint64_t depth) {
  return context | (depth - 1) | 1U << 24;
}

void deliver_over_and_over(benchmark::State& state, PutTarget& target, std::uint64_t bits) {
  const std::vector<std::byte> message = bench::put_message(kInterfaceKind, bits, 8);
  for (auto _ : state) {
    target.deliver(message);
    if (!target.saw(EventKind::kPutEnd)) return state.SkipWithError("the put was not delivered");
  }
}

std::uint64_t depth(const benchmark::State& state) {
  return static_cast<std::uint64_t>(state.range(0));
}

// The priority list is deep.
void Portals4Priority(benchmark::State& state, EntryMix mix) {
  PutTarget target;
  if (!target.good() || !target.fill(PortalList::kPriority, 0, depth(state), mix))
    return state.SkipWithError("no entries");
  deliver_over_and_over(state, target, last(0, depth(state)));
}

// The overflow list is deep, the priority list empty.
void Portals4Overflow(benchmark::State& state, EntryMix mix) {
  PutTarget target;
  if (!target.good() || !target.fill(PortalList::kOverflow, kOnlyOverflow, depth(state), mix))
    return state.SkipWithError("no entries");
  deliver_over_and_over(state, target, last(kOnlyOverflow, depth(state)));
}

// Both are deep: the message matches nothing in the priority list and the last entry of the
// overflow list.
void Portals4OverflowBehindPriority(benchmark::State& state, EntryMix mix) {
  PutTarget target;
  if (!target.good() || !target.fill(PortalList::kPriority, 0, depth(state), mix) ||
      !target.fill(PortalList::kOverflow, kOnlyOverflow, depth(state), mix)) {
    return state.SkipWithError("no entries");
  }
  deliver_over_and_over(state, target, last(kOnlyOverflow, depth(state)));
}

// That many unexpected headers. One more arrives, and a use-once entry claims it. With wildcards
// one of 16 entries accepts any source.
void Portals4Unexpected(benchmark::State& state, EntryMix mix) {
  PutTarget target;
  if (!target.good() || !target.append(PortalList::kOverflow, {kAnySender, 0, ~0ULL}))
    return state.SkipWithError("no entry");
  for (std::uint64_t number = 0; number < depth(state); ++number) {
    target.deliver(bench::put_message(kInterfaceKind, number, 8));
    if (!target.saw(EventKind::kPutEnd)) return state.SkipWithError("the put was not delivered");
  }
  const std::uint64_t bits = depth(state);
  const std::vector<std::byte> message = bench::put_message(kInterfaceKind, bits, 8);
  std::uint64_t turn = 0;
  const auto come_and_be_claimed = [&] {
    target.deliver(message);
    const bool wild = mix == EntryMix::kWithWildcards && turn++ % 16 == 0;
    return target.append(PortalList::kPriority, {wild ? kAnySender : kSender, bits, 0}, 0, true) &&
           target.saw(EventKind::kPutEnd) && target.saw(EventKind::kPutOverflow);
  };
  // The first search of each kind brings the index up to date with all headers. This happens once
  // and is not part of the cost of one more.
  for (int i = 0; i < 2; ++i) {
    if (!come_and_be_claimed()) return state.SkipWithError("not claimed");
  }
  for (auto _ : state) {
    if (!come_and_be_claimed()) return state.SkipWithError("not claimed");
  }
}

void depths(benchmark::internal::Benchmark* b) {
  for (const int number : {10, 1'000, 10'000, 100'000}) b->Arg(number);
}
BENCHMARK_CAPTURE(Portals4Priority, exact, EntryMix::kExact)->Apply(depths);
BENCHMARK_CAPTURE(Portals4Priority, wildcards, EntryMix::kWithWildcards)->Apply(depths);
BENCHMARK_CAPTURE(Portals4Overflow, exact, EntryMix::kExact)->Apply(depths);
BENCHMARK_CAPTURE(Portals4Overflow, wildcards, EntryMix::kWithWildcards)->Apply(depths);
BENCHMARK_CAPTURE(Portals4OverflowBehindPriority, exact, EntryMix::kExact)->Apply(depths);
BENCHMARK_CAPTURE(Portals4OverflowBehindPriority, wildcards, EntryMix::kWithWildcards)
    ->Apply(depths);
BENCHMARK_CAPTURE(Portals4Unexpected, exact, EntryMix::kExact)->Apply(depths);
BENCHMARK_CAPTURE(Portals4Unexpected, wildcards, EntryMix::kWithWildcards)->Apply(depths);

}  // namespace
