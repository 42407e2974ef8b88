#pragma once
// One process's side of one measurement at one size: message memory that the peer may address,
// memory for its own operations, and the operations themselves.
//
// All functions wait on side.operations, so each may throw PeerLost or PerfFailure; operations may
// then still be under way, and the PairSide has to go. None looks at a clock; message bytes are for
// the callbacks.

#include <array>
#include <vector>

#include "contents.h"
#include "operations.h"

namespace lintel::perf {

// Thread: one, beside MeasuredOperations::stop().
struct PairSide : NotCopied {
  // The peer alone may address it.
  PairSide(TimedInterface& interface, const SideParameters& p)
      : parameters(p), operations(interface.operations(p)) {
    const auto bind = [&](std::vector<Region>& regions) {
      Region& region = regions.emplace_back(p.size, p.pieces);
      region.attach(operations->bind(region.pieces()));
    };
    for (std::uint64_t bits = 0; bits <= p.slots; ++bits) {
      if (p.exposed) {
        Region& region = exposed.emplace_back(p.size, p.pieces);
        region.attach(operations->expose(bits, region.pieces(), bits == 0 && p.exposed_events));
      }
      if (p.local) bind(local);
    }
    if (p.fetched) bind(fetched);
  }
  // Waits up to two seconds for operations that nobody waits for any more: they may still move
  // bytes.
  ~PairSide() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (auto* regions : {&exposed, &local, &fetched}) {
      for (Region& region : *regions) region.detach(end);
    }
  }

  SideParameters parameters;
  std::unique_ptr<MeasuredOperations> operations;
  // Empty unless asked for. The first is for timed operations, the others are the slots.
  std::vector<Region> exposed;
  std::vector<Region> local;
  std::vector<Region> fetched;
};

// Throws PerfFailure unless an operation that is alone has started.
inline void require_started(bool started, MeasuredAction action) {
  static constexpr std::array kNames{
      // in the order of MeasuredAction
      "put", "put", "get", "swap", "atomic operation", "fetch-atomic operation"};
  if (started) [[likely]]
    return;
  fail("the library has no room for a single {} (PTL_NO_SPACE); expected some",
       kNames[static_cast<std::size_t>(action)]);
}

// Keeps up to `window` operations under way until `messages` have come to their end: between the
// first regions, or, `in_slots`, each between regions of its own. What is fetched goes to
// side.fetched if there is one. Completions are taken in bursts and replaced in bursts, so that
// small operations can leave together. settle() takes the events that are left.
inline void run_window(PairSide& side, MeasuredAction action, std::uint64_t messages,
                       std::uint64_t window, bool in_slots = false) {
  MeasuredOperations& operations = *side.operations;
  const CompletionKind end = end_of(action);
  const bool fetches = end == CompletionKind::kReply && side.parameters.fetched;
  const std::uint64_t before = operations.count(end);
  std::uint64_t started = 0;
  std::uint64_t done = 0;
  while (done < messages) {
    while (started < messages && started - done < window) {
      const std::uint64_t region = in_slots ? started + 1 : 0;
      const Attachment& local = side.local[region].attachment();
      const Attachment& memory = fetches ? side.fetched[0].attachment() : local;
      const bool room = operations.start(action, memory, &local, region);
      if (!room && started > done) break;  // the library has all it can take; completions make room
      require_started(room, action);
      ++started;
    }
    done = operations.wait(end, before + done + 1, before + started) - before;
  }
}

// Puts that answer each other, `messages` each way; `first`: this side begins. fill(i) runs before
// each put, check(i) after each arrival.
template <class Fill, class Check>
void ping_pong(PairSide& side, bool first, std::uint64_t messages, Fill fill, Check check) {
  MeasuredOperations& operations = *side.operations;
  const std::uint64_t before = operations.count(CompletionKind::kPut);
  const auto put = [&](std::uint64_t i) {
    fill(i);
    require_started(operations.start(MeasuredAction::kPut, side.local[0].attachment()),
                    MeasuredAction::kPut);
  };
  for (std::uint64_t i = 0; i < messages; ++i) {
    if (first) put(i);
    operations.wait(CompletionKind::kPut, before + i + 1);
    check(i);
    if (!first) put(i);
  }
  operations.settle();
}

}  // namespace lintel::perf
