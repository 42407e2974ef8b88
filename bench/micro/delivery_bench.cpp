// One complete delivery of a put at its target, without a network: parse, access control, match,
// copy, event. Also the event queue alone.

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "bench/micro/null_transport.h"
#include "portals/engine/protocol/endpoint.h"

namespace {

using namespace lintel;
using namespace lintel::portals;

// An 8-byte put matches the last of `depth` entries. PUT_END is logged and taken.
void put_delivery(benchmark::State& state) {
  kLock.is_held();
  const auto depth = static_cast<std::uint64_t>(state.range(0));
  Counters counters;
  Endpoint endpoint(std::make_unique<bench::NullTransport>(), {}, counters);
  {
    PendingWork pending_work;
    NetworkInterface interface(0, {{NodeId(1), Pid(1)}, UserId(1000), JobId(0)}, {}, counters,
                               pending_work);
    endpoint.attach(interface);
    SlotId queue;
    if (interface.events.allocate_queue(64, nullptr, queue) != Status::kOk)
      state.SkipWithError("no queue");
    std::uint64_t word = 0;
    for (std::uint64_t bits = 0; bits < depth; ++bits) {
      SlotId entry;
      SlotId descriptor;
      DescriptorRules rules;
      rules.described = {&word,      sizeof word,
                         kUnlimited, option::kPut | option::kManageRemote | option::kStartDisable,
                         0,          nullptr,
                         queue};
      rules.region = MemoryRegion(&word, sizeof word);
      if (interface.entries.attach(bench::kPutPortal, {{NodeId(2), Pid(2)}, bits, 0}, false,
                                   ListEnd::kTail, entry) != Status::kOk ||
          interface.entries.attach_descriptor(entry, rules, false, descriptor) != Status::kOk) {
        state.SkipWithError("no entry");
      }
    }
    const std::vector<std::byte> message =
        bench::put_message(kPortals3Kind, depth - 1, sizeof word);
    const Event* taken = nullptr;
    for (auto _ : state) {
      endpoint.on_message(transport::PeerId(0), message);
      if (interface.events.queue(queue)->take(taken) != EventQueue::Taken::kEvent)
        state.SkipWithError("the put was not delivered");
      benchmark::DoNotOptimize(word);
    }
    endpoint.detach(interface);
  }
}
BENCHMARK(put_delivery)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);

void event_deposit_and_take(benchmark::State& state) {
  EventQueue queue(1024, nullptr);
  const Event event;
  const Event* taken = nullptr;
  for (auto _ : state) {
    queue.deposit(event);
    benchmark::DoNotOptimize(queue.take(taken));
  }
}
BENCHMARK(event_deposit_and_take);

}  // namespace
