#pragma once
// The operations themselves: windows of operations, single ones, and one side of a ping-pong.
//
// All wait on side.operations, so each may throw PeerLost or PerfFailure; operations may then still
// be under way, and the PairSide has to go. None looks at a clock; message bytes are for the
// callbacks.

#include <cstdint>

#include "side.h"

namespace lintel::perf {

constexpr const char* name_of(MeasuredAction action) {
  switch (action) {
    case MeasuredAction::kGet: return "get";
    case MeasuredAction::kSwap: return "swap";
    case MeasuredAction::kAdd: return "atomic operation";
    case MeasuredAction::kFetchAdd: return "fetch-atomic operation";
    default: return "put";
  }
}

// Throws PerfFailure unless an operation that is alone has started.
inline void require_started(bool started, MeasuredAction action) {
  if (started) [[likely]]
    return;
  fail("the library has no room for a single {} (PTL_NO_SPACE); expected some", name_of(action));
}

// Keeps up to `window` operations under way until `messages` have come to their end. `start(i)`
// starts operation i, or returns false if there is no room. Completions are taken in bursts and
// replaced in bursts, so that small operations can leave together. Every event has been taken on
// return.
template <class Start>
void run_window(MeasuredOperations& operations, MeasuredAction action, std::uint64_t messages,
                std::uint64_t window, Start start) {
  const CompletionKind end = end_of(action);
  const std::uint64_t before = operations.count(end);
  std::uint64_t started = 0;
  std::uint64_t done = 0;
  while (done < messages) {
    while (started < messages && started - done < window) {
      const bool room = start(started);
      if (!room && started > done) break;  // the library has all it can take; completions make room
      require_started(room, action);
      ++started;
    }
    done = operations.wait(end, before + done + 1, before + started) - before;
  }
  operations.settle();
}

// `messages` operations with side.local, at most `window` at a time.
inline void run_stream(PairSide& side, MeasuredAction action, std::uint64_t messages,
                       std::uint64_t window) {
  run_window(*side.operations, action, messages, window,
             [&operations = *side.operations, &memory = side.local->attachment(),
              action](std::uint64_t) { return operations.start(action, memory); });
}

// One operation with each of the first `count` slots.
inline void run_slots(PairSide& side, MeasuredAction action, std::uint64_t count,
                      std::uint64_t window) {
  run_window(*side.operations, action, count, window, [&](std::uint64_t i) {
    return side.operations->start(action, side.local_slots[i].attachment(), nullptr, i + 1);
  });
}

// One operation alone, until its end. kFetchAdd and kSwap bring the old contents to side.fetched.
inline void run_alone(PairSide& side, MeasuredAction action) {
  MeasuredOperations& operations = *side.operations;
  const bool fetches = action == MeasuredAction::kSwap || action == MeasuredAction::kFetchAdd;
  const Region& memory = fetches ? *side.fetched : *side.local;
  const std::uint64_t before = operations.count(end_of(action));
  require_started(operations.start(action, memory.attachment(), &side.local->attachment()), action);
  operations.wait(end_of(action), before + 1);
}

// Puts that answer each other, `messages` each way; `first`: this side begins. fill(i) runs before
// each put, check(i) after each arrival.
template <class Fill, class Check>
void ping_pong(PairSide& side, bool first, std::uint64_t messages, Fill fill, Check check) {
  MeasuredOperations& operations = *side.operations;
  const std::uint64_t before = operations.count(CompletionKind::kPut);
  const auto put = [&](std::uint64_t i) {
    fill(i);
    require_started(operations.start(MeasuredAction::kPut, side.local->attachment()),
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
