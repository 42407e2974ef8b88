#pragma once
// The measurements: each takes one size and returns what it found. Each in its own file.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain_kind.h"
#include "operations.h"
#include "row.h"
#include "session.h"
#include "settings.h"

namespace lintel::perf {

Row measure_put_latency(Session& session, const Settings& settings, std::uint64_t size);
Row measure_put_bandwidth(Session& session, const Settings& settings, std::uint64_t size);
Row measure_put_both_ways(Session& session, const Settings& settings, std::uint64_t size);
Row measure_get_latency(Session& session, const Settings& settings, std::uint64_t size);
Row measure_get_bandwidth(Session& session, const Settings& settings, std::uint64_t size);
Row measure_message_rate(Session& session, const Settings& settings, std::uint64_t size);
Row measure_passive_target(Session& session, const Settings& settings, std::uint64_t size);
Row measure_swap_latency(Session& session, const Settings& settings, std::uint64_t size);
Row measure_fetch_latency(Session& session, const Settings& settings, std::uint64_t size);
Row measure_atomic_rate(Session& session, const Settings& settings, std::uint64_t size);

using Measure = Row (*)(Session&, const Settings&, std::uint64_t);

// One sub-command: what it is called, what it says about itself, and what it runs at each size.
struct Measurement {
  const char* name;
  const char* title;
  const char* method;                        // one sentence for the table's header; see method_of()
  bool has_window;                           // several operations are under way at once
  bool has_completion;                       // puts for which the kind of completion matters
  std::vector<Measure> parts;                // their metrics are columns, left to right
  std::vector<std::uint64_t> default_sizes;  // empty: powers of two from 1 to the interface's limit for swaps
  Limit Limits::*limit = nullptr;            // what bounds the size, if anything
  bool adds_words = false;                   // 64-bit words by atomic operations: Portals 4 only
  std::optional<ChainKind> chain = {};       // many processes, and no parts: see chain_conductor.h
};

std::span<const Measurement> measurements();

// Null if there is none of that name.
const Measurement* find_measurement(std::string_view name);

}  // namespace lintel::perf
