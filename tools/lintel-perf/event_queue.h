#pragma once
// An event queue whose waits end: with an event, or with an exception when the operation failed or another thread stopped the queue.
//
// Owns the Portals queue. Thread: wait() and poll() by one thread; stop() and seen() by any. What it does not do: time limits, see Watch.

#include <portals3.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace lintel::perf {

class EventQueue {
 public:
  EventQueue(ptl_handle_ni_t ni, std::uint64_t capacity);
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  ptl_handle_eq_t handle() const { return handle_; }

  // The next event, waiting for it. Throws PeerLost if it reports a failed operation or the queue was stopped, Failure if events were lost.
  void wait(ptl_event_t& event) { accept(PtlEQWait(handle_, &event), event); }

  // The same, but lost events are no error: returns false if some were lost before this one.
  bool wait_lossy(ptl_event_t& event) {
    const int code = PtlEQWait(handle_, &event);
    accept(code == PTL_EQ_DROPPED ? PTL_OK : code, event);
    return code != PTL_EQ_DROPPED;
  }

  // The next event if there is one. Throws as wait().
  bool poll(ptl_event_t& event) {
    const int code = PtlEQGet(handle_, &event);
    if (code == PTL_EQ_EMPTY) return false;
    accept(code, event);
    return true;
  }

  // Makes a present or future wait() throw PeerLost(reason). Any thread; the first reason counts.
  void stop(const std::string& reason);

  // Events taken so far; grows as long as there is progress.
  std::uint64_t seen() const { return seen_.load(std::memory_order_relaxed); }

 private:
  void accept(int code, const ptl_event_t& event) {
    if (code != PTL_OK || event.ni_fail_type != PTL_NI_OK) [[unlikely]]
      reject(code, event);
    seen_.store(seen_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[noreturn]] void reject(int code, const ptl_event_t& event);

  ptl_handle_ni_t ni_;
  ptl_handle_eq_t handle_ = PTL_EQ_NONE;
  std::atomic<std::uint64_t> seen_{0};
  std::mutex mutex_;         // guards what follows
  std::string stop_reason_;  // empty: not stopped
};

}  // namespace lintel::perf
