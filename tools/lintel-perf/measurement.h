#pragma once
// What can be measured, and how: what the options say, with defaults by size where they say
// nothing.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "side.h"

namespace lintel::perf {

enum class PutCompletion { kLocal, kRemote };
enum class PassiveMode { kCompute, kSleep };

// Collective operations of many processes, made of triggered operations; see chain.h.
enum class ChainKind { kBarrier, kBroadcast, kReduction };

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
  PutCompletion completion = PutCompletion::kRemote;
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
};

// The events that a queue has to hold when `window` operations are under way.
constexpr std::uint64_t window_events(std::uint64_t window) { return 4 * window + 64; }

enum class TrafficShape {
  kPingPong,  // each put is answered by one
  kAlone,     // one operation after the other
  kWindow,    // several under way at once
  kBothWays,  // a window each way
  kPassive    // to a target that calls nothing
};

// What is measured of one kind of operation: a time, or a bandwidth and perhaps a rate of messages.
struct MeasurementPart {
  TrafficShape shape;
  MeasuredAction action = MeasuredAction::kPut;
  const char* key = nullptr;  // of its metric
  const char* title = nullptr;
  const char* rate_key = nullptr;
  const char* rate_title = nullptr;
};

// One sub-command: what it is called, what it says about itself, and what it runs at each size.
struct Measurement {
  const char* name;
  const char* title;
  const char* method;  // one sentence for the table's header, in the words of the API
  std::vector<MeasurementPart> parts = {};  // their metrics are columns, left to right
  // Empty: powers of two from 1 to the interface's limit for swaps.
  std::vector<std::uint64_t> default_sizes = {};
  bool has_window = false;                  // several operations are under way at once
  bool has_completion = false;              // puts for which the kind of completion matters
  Limit OperationLimits::*limit = nullptr;  // what bounds the size, if anything
  bool adds_words = false;                  // 64-bit words by atomic operations: Portals 4 only
  bool tells_progress = false;              // it takes so long
  std::optional<ChainKind> chain = {};      // many processes, and no parts
};

std::span<const Measurement> measurements();

}  // namespace lintel::perf
