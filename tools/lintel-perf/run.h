#pragma once
// One measurement at one size. Both processes execute the same functions with a Run each, which
// tells them apart, so that neither has to ask the other for anything.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interface.h"
#include "peer.h"
#include "results.h"
#include "settings.h"

namespace lintel::perf {

struct Run {
  Interface& network;
  Peer& peer;
  const Settings& settings;
  std::uint64_t size;
  bool initiator;  // it measures, and its row is reported

  // Sets up this process's memory and operations, with the parameters that both have.
  Side side(SideParameters parameters) const;

  Row row(std::uint64_t iterations) const;

  // Returns when both processes have come here. `allowance`: how much later the peer may come.
  void meet(Seconds allowance = {}) const;

  // The messages that this process makes, and that the peer makes.
  std::uint64_t mine(std::uint64_t pass, std::uint64_t i = 0) const;
  std::uint64_t theirs(std::uint64_t pass, std::uint64_t i = 0) const;
};

// What is timed: operations of one kind, `window` of them under way at most.
struct Work {
  Side& side;
  std::uint64_t window;
  // `count` operations, or this process's part in them.
  std::function<void(std::uint64_t count)> traffic;
  // Before and after each pass; not timed, and left out without validation.
  std::function<void(std::uint64_t pass)> prepare;
  std::function<void(std::uint64_t pass)> check;
};

// Puts or gets of the side's one message. Each pass has a message of its own, and what lies where
// it arrives is spoilt before, so that what lies there afterwards can only have come with the pass.
Work stream_of(const Run& run, Side& side, Action action, std::uint64_t window);

// Puts or gets `messages` messages that are all different, in rounds of as many as there are slots,
// and compares every byte.
void verify_in_slots(const Run& run, Side& side, Action action, std::uint64_t messages,
                     std::uint64_t window);

// Runs the warm-up and the timed passes; returns the seconds of each pass.
std::vector<double> time_passes(const Run& run, const Row& row, const Work& work);

// The same for operations one at a time: the mean of each pass and, if that is wanted, the
// distribution in one more pass. `share`: the part of an operation that is reported.
Metric time_singles(const Run& run, const Row& row, const Work& work, const char* key,
                    const char* title, double share = 1);

// `amount` a second, for each pass.
Metric rate_of(const char* key, const char* title, Quantity quantity, double amount,
               const std::vector<double>& seconds);

}  // namespace lintel::perf
