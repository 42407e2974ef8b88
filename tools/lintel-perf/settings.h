#pragma once
// How to measure; what the options say, with defaults by size where they say nothing.

#include <cstdint>
#include <optional>

#include "api_choice.h"
#include "side.h"
#include "traffic.h"

namespace lintel::perf {

enum class PassiveMode { kCompute, kSleep };

struct Settings {
  Api api = Api::kPortals3;
  Notify notify = Notify::kEvents;
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> warm_up;
  std::uint64_t window = 64;
  std::uint64_t repeats = 3;
  std::uint64_t pieces = 1;
  bool validate = true;
  bool percentiles = false;  // one more pass, in which every operation is timed by itself
  Completion completion = Completion::kRemote;
  PassiveMode passive_mode = PassiveMode::kCompute;
  double passive_seconds = 1.0;

  // Messages of one pass. Latency: less than half a second at the speed of a loopback; the other kinds move at most 512 MiB.
  std::uint64_t latency_iterations(std::uint64_t size) const;
  std::uint64_t window_iterations(std::uint64_t size) const;
  std::uint64_t warm_up_for(std::uint64_t chosen_iterations) const;

  // What both sides of a measurement at that size have in common; a measurement adds what it needs.
  SideParameters side(std::uint64_t size) const;
};

// The events that a queue has to hold when `window` operations are under way.
constexpr std::uint64_t window_events(std::uint64_t window) { return 4 * window + 64; }

}  // namespace lintel::perf
