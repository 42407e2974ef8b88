#pragma once
// IdleWatch: notices that nothing completes for a time.
//
// Thread: one at a time. Reads the clock only from time to time, so that empty polls stay cheap.

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace lintel::bench {

class IdleWatch {
 public:
  using IdleHandler = std::function<void(std::chrono::steady_clock::duration idle)>;

  // `on_idle` may throw.
  explicit IdleWatch(IdleHandler on_idle) : on_idle_(std::move(on_idle)) {}

  void completed() { empty_polls_ = 0; }
  // A poll has found nothing. Calls `on_idle` from time to time.
  void found_nothing() {
    // up to some tenths of a second
    constexpr std::uint64_t kPollsBetweenChecks = std::uint64_t{1} << 20;
    if (++empty_polls_ % kPollsBetweenChecks != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (empty_polls_ == kPollsBetweenChecks) idle_since_ = now;
    on_idle_(now - idle_since_);
  }

 private:
  IdleHandler on_idle_;
  std::uint64_t empty_polls_ = 0;  // in a row
  std::chrono::steady_clock::time_point idle_since_;
};

}  // namespace lintel::bench
