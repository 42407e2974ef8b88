#pragma once
// A counting event whose waits end: with the count, or with an exception when an operation failed or another thread stopped it.
//
// Owns the Portals counter. Thread: one; stop() and now() by any. What it does not do: time limits, see Watch.

#include <portals4.h>

#include <cstdint>

namespace lintel::perf::api4 {

class Counter {
 public:
  explicit Counter(ptl_handle_ni_t ni);
  ~Counter() { free(); }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  ptl_handle_ct_t handle() const { return handle_; }

  struct Outcome {
    int code;
    ptl_ct_event_t value;
  };
  // Waits for `test` successes or a failure.
  Outcome wait(std::uint64_t test) const {
    Outcome outcome{PTL_OK, {0, 0}};
    outcome.code = PtlCTWait(handle_, test, &outcome.value);
    return outcome;
  }
  // The successes at this moment; 0 when it has been freed.
  std::uint64_t now() const;

  // Ends it, and every wait for it: they return PTL_ABORTED. REQUIRES: not called by two threads at once.
  void free();

 private:
  ptl_handle_ct_t handle_ = PTL_CT_NONE;
  bool freed_ = false;
};

}  // namespace lintel::perf::api4
