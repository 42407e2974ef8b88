#pragma once
// A queue of Portals 4 whose waits end: with an event, or with an exception when the operation failed or another thread stopped the queue.
//
// Owns the Portals queue. Thread: wait() and poll() by one thread; stop() by any. What it does not do: time limits, see Watch.

#include <portals4.h>

#include <cstdint>
#include <optional>
#include <string>

#include "operations.h"
#include "queued_operations.h"
#include "stop_reason.h"

namespace lintel::perf::api4 {

class EventQueue {
 public:
  // `length`: of every operation.
  EventQueue(ptl_handle_ni_t ni, std::uint64_t capacity, std::uint64_t length);
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  ptl_handle_eq_t handle() const { return handle_; }

  // The next event, waiting for it. Throws PeerLost if it reports a lost peer or the queue was stopped, Failure if the operation failed or events were lost.
  Taken wait() {
    ptl_event_t event;
    return accept(PtlEQWait(handle_, &event), event);
  }

  // The next event if there is one. Throws as wait().
  std::optional<Taken> poll() {
    ptl_event_t event;
    const int code = PtlEQGet(handle_, &event);
    if (code == PTL_EQ_EMPTY) return std::nullopt;
    return accept(code, event);
  }

  // Makes a present or future wait() throw PeerLost(reason). Any thread; the first reason counts.
  void stop(const std::string& reason);

 private:
  Taken accept(int code, const ptl_event_t& event) {
    if (code != PTL_OK || event.ni_fail_type != PTL_NI_OK) [[unlikely]]
      reject(code, event);
    switch (event.type) {
      case PTL_EVENT_SEND: return {Moment::kSent, 1};
      case PTL_EVENT_ACK: return moved(Moment::kAcked, event);
      case PTL_EVENT_REPLY: return moved(Moment::kReplied, event);
      case PTL_EVENT_PUT: return moved(Moment::kArrived, event);
      default: return {};
    }
  }
  Taken moved(Moment kind, const ptl_event_t& event) const {
    if (event.mlength != length_) [[unlikely]]
      reject_moved(event);
    return {kind, 1};
  }
  [[noreturn]] void reject_moved(const ptl_event_t& event) const;
  [[noreturn]] void reject(int code, const ptl_event_t& event);

  std::uint64_t length_;
  ptl_handle_eq_t handle_ = PTL_EQ_NONE;
  StopReason stop_reason_;
};

}  // namespace lintel::perf::api4
