#pragma once
// How to measure; what the options say, with defaults by size where they say nothing.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "side.h"

namespace lintel::perf {

enum class Completion { kLocal, kRemote };
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

  // Messages of one pass. Latency: less than half a second at the speed of a loopback; the other
  // kinds move at most 512 MiB.
  std::uint64_t latency_iterations(std::uint64_t size) const {
    return iterations.value_or(
        std::clamp<std::uint64_t>((std::uint64_t{256} << 20) / size, 100, 10'000));
  }
  std::uint64_t window_iterations(std::uint64_t size) const {
    return iterations.value_or(
        std::clamp<std::uint64_t>((std::uint64_t{512} << 20) / size, 64, 50'000));
  }
  std::uint64_t warm_up_for(std::uint64_t chosen_iterations) const {
    return warm_up.value_or(std::clamp<std::uint64_t>(chosen_iterations / 10, 1, 1'000));
  }

  // What both sides of a measurement at that size have in common; a measurement adds what it needs.
  SideParameters side(std::uint64_t size) const {
    return {.api = api, .notify = notify, .size = size, .pieces = pieces};
  }
};

// The events that a queue has to hold when `window` operations are under way.
constexpr std::uint64_t window_events(std::uint64_t window) { return 4 * window + 64; }

}  // namespace lintel::perf
