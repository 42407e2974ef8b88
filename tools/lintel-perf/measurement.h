#pragma once
// The measurements: each takes one size and returns what it found.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain.h"
#include "conversation.h"
#include "results.h"
#include "settings.h"

namespace lintel::perf {

// puts.cpp
Row measure_put_latency(Conversation& conversation, const Settings& settings, std::uint64_t size);
Row measure_put_bandwidth(Conversation& conversation, const Settings& settings, std::uint64_t size);
Row measure_put_both_ways(Conversation& conversation, const Settings& settings, std::uint64_t size);
Row measure_message_rate(Conversation& conversation, const Settings& settings, std::uint64_t size);
// gets.cpp
Row measure_get_latency(Conversation& conversation, const Settings& settings, std::uint64_t size);
Row measure_get_bandwidth(Conversation& conversation, const Settings& settings, std::uint64_t size);
// atomics.cpp
Row measure_swap_latency(Conversation& conversation, const Settings& settings, std::uint64_t size);
Row measure_fetch_latency(Conversation& conversation, const Settings& settings, std::uint64_t size);
Row measure_atomic_rate(Conversation& conversation, const Settings& settings, std::uint64_t size);
// passive.cpp
Row measure_passive_target(Conversation& conversation, const Settings& settings,
                           std::uint64_t size);

using Measure = Row (*)(Conversation&, const Settings&, std::uint64_t);

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
