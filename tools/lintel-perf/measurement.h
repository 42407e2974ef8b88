#pragma once
// The measurements: both processes call them at each size. The initiator's row is what was found.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain.h"
#include "results.h"
#include "settings.h"

namespace lintel::perf {

struct Run;

// puts.cpp
Row measure_put_latency(const Run& run);
Row measure_put_bandwidth(const Run& run);
Row measure_put_both_ways(const Run& run);
Row measure_message_rate(const Run& run);
// gets.cpp
Row measure_get_latency(const Run& run);
Row measure_get_bandwidth(const Run& run);
// atomics.cpp
Row measure_swap_latency(const Run& run);
Row measure_fetch_latency(const Run& run);
Row measure_atomic_rate(const Run& run);
// passive.cpp
Row measure_passive_target(const Run& run);

using Measure = Row (*)(const Run&);

// One sub-command: what it is called, what it says about itself, and what it runs at each size.
struct Measurement {
  const char* name;
  const char* title;
  const char* method;               // one sentence for the table's header, in the words of the API
  std::vector<Measure> parts = {};  // their metrics are columns, left to right
  // Empty: powers of two from 1 to the interface's limit for swaps.
  std::vector<std::uint64_t> default_sizes = {};
  bool has_window = false;              // several operations are under way at once
  bool has_completion = false;          // puts for which the kind of completion matters
  Limit Limits::*limit = nullptr;       // what bounds the size, if anything
  bool adds_words = false;              // 64-bit words by atomic operations: Portals 4 only
  bool tells_progress = false;          // it takes so long
  std::optional<ChainKind> chain = {};  // many processes, and no parts
};

std::span<const Measurement> measurements();

}  // namespace lintel::perf
