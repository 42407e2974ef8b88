#pragma once
// What Operations with an event queue have in common, whichever the API: completions are taken from the queue one by one.
//
// `Queue` has wait(), which returns the next Taken or throws, poll(), which returns it if there is one, and stop().

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <string>

#include "failure.h"
#include "operations.h"

namespace lintel::perf {

// What one event tells.
struct Taken {
  Moment kind = Moment::kSent;
  std::uint64_t count = 0;
};

[[noreturn]] inline void reject_length(const char* event, std::uint64_t moved, std::uint64_t expected) {
  throw Failure(ExitCode::kFailed,
                fmt::format("verification failed: {} says that {} bytes were moved; expected {}", event, moved, expected));
}

[[noreturn]] inline void reject_lost_events() {
  throw Failure(ExitCode::kFailed, "PtlEQWait reports PTL_EQ_DROPPED; expected a queue that is large enough for this window");
}

template <class Queue>
class QueuedOperations : public Operations {
 public:
  template <class... Arguments>
  explicit QueuedOperations(Arguments&&... arguments) : queue_(std::forward<Arguments>(arguments)...) {}

  using Operations::wait;
  std::uint64_t wait(Moment kind, std::uint64_t at_least, std::uint64_t enough) override {
    while (count(kind) < at_least) note(queue_.wait());
    while (count(kind) < enough) {
      const std::optional<Taken> taken = queue_.poll();
      if (!taken) break;
      note(*taken);
    }
    return count(kind);
  }

  void settle() override {
    while (!settled()) note(queue_.wait());
  }

  void stop(const std::string& reason) override { queue_.stop(reason); }
  std::uint64_t seen() const override { return seen_.load(std::memory_order_relaxed); }

 protected:
  Queue queue_;

 private:
  void note(const Taken& taken) {
    take(taken.kind, taken.count);
    seen_.store(seen_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> seen_{0};  // events
};

}  // namespace lintel::perf
