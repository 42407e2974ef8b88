#include "options.h"

namespace lintel::perf {

std::span<const Measurement> measurements() {
  using enum MeasuredAction;
  using enum TrafficShape;
  using enum MeasuredQuantity;
  static const Metric kPutBandwidth{"put_bandwidth", "Put bandwidth", kBandwidth};
  static const MeasurementPart kPutLatency{kPingPong, kPut, {{"put_latency", "Put latency"}}};
  static const MeasurementPart kGetLatency{kAlone, kGet, {{"get_latency", "Get latency"}}};
  static const MeasurementPart kPuts{kWindow, kAckedPut, {kPutBandwidth}};
  static const MeasurementPart kGets{
      kWindow, kGet, {{"get_bandwidth", "Get bandwidth", kBandwidth}}};
  static const std::vector<Measurement> kTable{
      {.name = "put-lat",
       .title = "put latency",
       .method =
           "half of the round trip of a put that is answered by a put; both ends wait in {wait}",
       .parts = {kPutLatency}},
      {.name = "put-bw",
       .title = "put bandwidth",
       .method = "a window of puts one way",
       .parts = {kPuts}},
      {.name = "put-bibw",
       .title = "put bandwidth, both ways at once",
       .method = "a window of puts each way at the same time; bytes of both directions are counted",
       .parts = {{kBothWays, kAckedPut, {{"put_bandwidth_both_ways", "Bandwidth", kBandwidth}}}}},
      {.name = "get-lat",
       .title = "get latency",
       .method = "from PtlGet to its {reply}, one at a time",
       .parts = {kGetLatency}},
      {.name = "get-bw",
       .title = "get bandwidth",
       .method = "a window of gets, each done with its {reply}",
       .parts = {kGets}},
      {.name = "msg-rate",
       .title = "put message rate",
       .method = "a window of small puts one way",
       .parts = {{kWindow,
                  kAckedPut,
                  {{"message_rate", "Message rate", kMessageRate}, kPutBandwidth}}},
       .default_sizes = {8}},
      {.name = "passive",
       .title = "latency to a passive target",
       .method =
           "the target's only thread computes or sleeps and calls nothing; put to {ack}, and get "
           "to {reply}",
       .parts = {{kPassive, kPut, {{"put_to_ack", "Put to ack"}, {"get_latency", "Get"}}}},
       .default_sizes = {8, 1024, 65536}},
      {.name = "swap-lat",
       .title = "swap latency",
       .method = "from {swap} to its {reply}, one at a time",
       .parts = {{kAlone, kSwap, {{"swap_latency", "Swap latency"}}}},
       .default_sizes = {}},
      {.name = "fetch-lat",
       .title = "fetch-atomic latency (Portals 4)",
       .method = "from PtlFetchAtomic (PTL_SUM of 64-bit words) to its {reply}, one at a time",
       .parts = {{kAlone, kFetchAdd, {{"fetch_latency", "Fetch-atomic latency"}}}},
       .default_sizes = {8}},
      {.name = "atomic-rate",
       .title = "rate of atomic operations (Portals 4)",
       .method =
           "a window of PtlAtomic (PTL_SUM of 64-bit words) one way, each done with its {ack}",
       .parts = {{kWindow,
                  kAdd,
                  {{"atomic_rate", "Atomic rate", kMessageRate},
                   {"atomic_bandwidth", "Atomic bandwidth", kBandwidth}}}},
       .default_sizes = {8, 64, 256, 1024}},
      {.name = "quick",
       .title = "put and get, latency and bandwidth",
       .method = "latency: half of a put-put round trip, and from PtlGet to {reply}; bandwidth: a "
                 "window one way",
       .parts = {kPutLatency, kPuts, kGetLatency, kGets},
       .default_sizes = {8, 64, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304},
       .tells_progress = true},
      {.name = "barrier",
       .title = "barriers of triggered operations",
       .method =
           "dissemination; a round is entered by the end of the one before, all by rank 0's one "
           "step, while the others sleep; an untimed pass verifies that nobody leaves before all "
           "have entered",
       .default_sizes = {0},
       .chain = ChainKind::kBarrier},
      {.name = "broadcast",
       .title = "broadcasts of triggered operations",
       .method =
           "puts down a binomial tree, empty ones up; their arrival at rank 0 begins the next "
           "round, while the others sleep",
       .default_sizes = {8, 1024, 16384, 65536, 1048576},
       .tells_progress = true,
       .chain = ChainKind::kBroadcast},
      {.name = "reduce",
       .title = "reductions of triggered operations",
       .method = "empty puts down a binomial tree, sums of 64-bit words up by atomics; the result "
                 "begins the next round, while the others sleep",
       .default_sizes = {8, 64, 256, 1024},
       .tells_progress = true,
       .chain = ChainKind::kReduction},
  };
  return kTable;
}

}  // namespace lintel::perf
