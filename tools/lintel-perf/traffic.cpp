#include "traffic.h"

#include <fmt/format.h>

#include "failure.h"

namespace lintel::perf {
namespace {

// Keeps up to `window` operations under way until `messages` have come to `done_at`. `start(i)` starts operation i, or returns false if there is no room.
// Completions are taken in bursts and replaced in bursts, so that small operations can leave together.
template <class Start>
void run_window(Side& side, std::uint64_t messages, std::uint64_t window, Moment done_at, const char* operation, Start start) {
  Operations& operations = *side.operations;
  const std::uint64_t before = operations.count(done_at);
  std::uint64_t started = 0;
  std::uint64_t done = 0;
  while (done < messages) {
    while (started < messages && started - done < window) {
      const bool room = start(operations, started);
      if (!room && started > done) break;  // the library has all it can take; completions make room
      require_started(room, operation);
      ++started;
    }
    done = operations.wait(done_at, before + done + 1, before + started) - before;
  }
  operations.settle();
}

// Remembers the first failed check; the exchange goes on so that the peer is not left waiting.
template <class Check>
void note_failure(std::string& first, Check check) {
  try {
    check();
  } catch (const Failure& failure) {
    if (first.empty()) first = failure.what();
  }
}

}  // namespace

void require_started(bool started, const char* operation) {
  if (started) [[likely]]
    return;
  throw Failure(ExitCode::kFailed, fmt::format("the library has no room for a single {} (PTL_NO_SPACE); expected some", operation));
}

void start_put(Side& side, Ack ack) { require_started(side.operations->put(**side.local, ack, {}), "put"); }

void put_window(Side& side, std::uint64_t messages, std::uint64_t window, Completion completion) {
  const bool remote = completion == Completion::kRemote;
  run_window(side, messages, window, remote ? Moment::kAcked : Moment::kSent, "put",
             [&from = **side.local, ack = remote ? Ack::kYes : Ack::kNo](Operations& operations, std::uint64_t) {
               return operations.put(from, ack, {});
             });
}

void put_slots(Side& side, std::uint64_t count) {
  run_window(side, count, count, Moment::kAcked, "put", [&](Operations& operations, std::uint64_t i) {
    return operations.put(**side.local_slots[i], Ack::kYes, {kSlotPortal, i});
  });
}

void get_window(Side& side, std::uint64_t messages, std::uint64_t window) {
  run_window(side, messages, window, Moment::kReplied, "get",
             [&into = **side.local](Operations& operations, std::uint64_t) { return operations.get(into, {}); });
}

void get_slots(Side& side, std::uint64_t count, std::uint64_t window) {
  run_window(side, count, window, Moment::kReplied, "get", [&](Operations& operations, std::uint64_t i) {
    return operations.get(**side.local_slots[i], {kSlotPortal, i});
  });
}

void add_window(Side& side, std::uint64_t messages, std::uint64_t window) {
  run_window(side, messages, window, Moment::kAcked, "atomic operation",
             [&from = **side.local](Operations& operations, std::uint64_t) { return operations.add(from, {}); });
}

void count_puts(Side& side, std::uint64_t messages) {
  side.operations->wait(Moment::kArrived, side.operations->count(Moment::kArrived) + messages);
}

void pong(Side& side, std::uint64_t messages) {
  const std::uint64_t before = side.operations->count(Moment::kArrived);
  for (std::uint64_t i = 0; i < messages; ++i) {
    side.operations->wait(Moment::kArrived, before + i + 1);
    start_put(side, Ack::kNo);
  }
  side.operations->settle();
}

std::string ping_verified(Side& side, std::uint64_t messages, std::uint64_t pass) {
  std::string failure;
  const std::uint64_t before = side.operations->count(Moment::kArrived);
  for (std::uint64_t i = 0; i < messages; ++i) {
    side.local->region().fill(pattern_id(Origin::kInitiator, pass, i));
    start_put(side, Ack::kNo);
    side.operations->wait(Moment::kArrived, before + i + 1);
    side.operations->settle();
    note_failure(failure, [&] { side.exposed->region().check(pattern_id(Origin::kTarget, pass, i)); });
  }
  return failure;
}

std::string pong_verified(Side& side, std::uint64_t messages, std::uint64_t pass) {
  std::string failure;
  const std::uint64_t before = side.operations->count(Moment::kArrived);
  for (std::uint64_t i = 0; i < messages; ++i) {
    side.operations->wait(Moment::kArrived, before + i + 1);
    side.operations->settle();  // the memory that is filled next
    note_failure(failure, [&] { side.exposed->region().check(pattern_id(Origin::kInitiator, pass, i)); });
    side.local->region().fill(pattern_id(Origin::kTarget, pass, i));
    start_put(side, Ack::kNo);
  }
  side.operations->settle();
  return failure;
}

}  // namespace lintel::perf
