#include "measurement.h"

#include "numbers.h"

namespace lintel::perf {
namespace {

std::vector<std::uint64_t> all_sizes() { return powers_of_two(1, std::uint64_t{4} << 20); }

const std::vector<Measurement>& table() {
  static const std::vector<Measurement> kTable{
      {"put-lat",
       "put latency",
       "half of the round trip of a put that is answered by a put; both ends wait in {wait}",
       false,
       false,
       {measure_put_latency},
       all_sizes()},
      {"put-bw", "put bandwidth", "a window of puts one way", true, true, {measure_put_bandwidth}, all_sizes()},
      {"put-bibw",
       "put bandwidth, both ways at once",
       "a window of puts each way at the same time; bytes of both directions are counted",
       true,
       true,
       {measure_put_both_ways},
       all_sizes()},
      {"get-lat", "get latency", "from PtlGet to its {reply}, one at a time", false, false, {measure_get_latency}, all_sizes()},
      {"get-bw", "get bandwidth", "a window of gets, each done with its {reply}", true, false, {measure_get_bandwidth}, all_sizes()},
      {"msg-rate", "put message rate", "a window of small puts one way", true, true, {measure_message_rate}, {8}},
      {"passive",
       "latency to a passive target",
       "the target's only thread computes or sleeps and calls nothing; put to {ack}, and get to {reply}",
       false,
       false,
       {measure_passive_target},
       {8, 1024, 65536}},
      {"swap-lat", "swap latency", "from {swap} to its {reply}, one at a time", false, false, {measure_swap_latency}, {}, &Limits::swap},
      {"fetch-lat",
       "fetch-atomic latency (Portals 4)",
       "from PtlFetchAtomic (PTL_SUM of 64-bit words) to its {reply}, one at a time",
       false,
       false,
       {measure_fetch_latency},
       {8},
       &Limits::fetch_atomic,
       true},
      {"atomic-rate",
       "rate of atomic operations (Portals 4)",
       "a window of PtlAtomic (PTL_SUM of 64-bit words) one way, each done with its {ack}",
       true,
       false,
       {measure_atomic_rate},
       {8, 64, 256, 1024},
       &Limits::atomic,
       true},
      {"quick",
       "put and get, latency and bandwidth",
       "latency: half of a put-put round trip, and from PtlGet to {reply}; bandwidth: a window one way",
       true,
       true,
       {measure_put_latency, measure_put_bandwidth, measure_get_latency, measure_get_bandwidth},
       {8, 64, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304}},
      {"barrier",
       "barriers of triggered operations",
       "dissemination; a round is entered by the end of the one before, all by rank 0's one step, while the others sleep; an untimed pass "
       "verifies that nobody leaves before all have entered",
       false,
       false,
       {},
       {0},
       nullptr,
       false,
       ChainKind::kBarrier},
      {"broadcast",
       "broadcasts of triggered operations",
       "puts down a binomial tree, empty ones up; their arrival at rank 0 begins the next round, while the others sleep",
       false,
       false,
       {},
       {8, 1024, 16384, 65536, 1048576},
       nullptr,
       false,
       ChainKind::kBroadcast},
      {"reduce",
       "reductions of triggered operations",
       "empty puts down a binomial tree, sums of 64-bit words up by atomics; the result begins the next round, while the others sleep",
       false,
       false,
       {},
       {8, 64, 256, 1024},
       nullptr,
       false,
       ChainKind::kReduction},
  };
  return kTable;
}

}  // namespace

std::span<const Measurement> measurements() { return table(); }

const Measurement* find_measurement(std::string_view name) {
  for (const Measurement& measurement : table()) {
    if (name == measurement.name) return &measurement;
  }
  return nullptr;
}

}  // namespace lintel::perf
