#pragma once
// Why waiting has to end, said by one thread and heard by another. Thread safe.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "failure.h"

namespace lintel::perf {

class StopReason {
 public:
  // The first reason counts: runs `end_waits` and returns, or does nothing if there is one already.
  template <class EndWaits>
  void set(const std::string& reason, EndWaits end_waits) {
    const std::lock_guard lock(mutex_);
    if (!reason_.empty()) return;
    reason_ = reason;
    end_waits();
    said_.notify_all();
  }

  bool is_set() const {
    const std::lock_guard lock(mutex_);
    return !reason_.empty();
  }

  // Throws PeerLost with the reason if there is one, or comes within `limit`.
  void throw_if_set(std::chrono::milliseconds limit = {}) {
    std::unique_lock lock(mutex_);
    if (said_.wait_for(lock, limit, [this] { return !reason_.empty(); })) throw PeerLost(reason_);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable said_;
  std::string reason_;  // empty: none
};

}  // namespace lintel::perf
