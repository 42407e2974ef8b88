#pragma once
// ObjectWait: checks several objects of network interfaces, and waits until one of them is ready.
// The common part of QueueWait and CounterWait.
//
// Made on the caller's stack for one call; borrows the process and the names. Thread: one. Releases
// the process' lock while it waits.
//
// A Name has `interface_kind` and `id`. Self defines what differs:
//   static Object* find(NetworkInterface&, SlotId);     null: there is none
//   static bool is_ready(const Object&, const Name&);
//   void take(Object&);                                 of the first that is ready
// An Object counts its `sleepers`.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "portals/engine/process/process.h"

namespace lintel::portals {

template <class Self, class Object, class Name>
class ObjectWait : private Condition {
 public:
  // kInvalid: a name has no object at the call. kFreed: it has none any more.
  enum class WaitEnd : std::uint8_t { kNothing, kReady, kInvalid, kFreed, kStopped };
  static constexpr TimePoint kAtOnce{0};

  // kAtOnce: checks once, and if no object is ready, drives the engine for one turn and checks
  // again. kNever: no time limit.
  WaitEnd run(TimePoint deadline) LINTEL_REQUIRES(kLock) {
    if (holds()) return end_;
    if (deadline == kAtOnce) {
      process_.progress().advance();
      holds();
    } else {
      process_.progress().wait_until(*this, deadline);
    }
    return end_ == WaitEnd::kInvalid ? WaitEnd::kFreed : end_;
  }

  // Of a call with a time limit in milliseconds: kAtOnce for 0, kNever for `forever`.
  static TimePoint deadline_in(const Process& process, std::uint32_t timeout,
                               std::uint32_t forever) {
    if (timeout == forever) return kNever;
    return timeout == 0 ? kAtOnce : process.now() + std::chrono::milliseconds(timeout);
  }

  // The index of the object that is ready (kReady) or does not exist (kInvalid, kFreed).
  std::size_t index() const { return index_; }

 protected:
  // If a name has no object, the wait ends with that, also if an earlier object is ready.
  // `stop`, if not null, ends the wait when it is set.
  ObjectWait(Process& process, std::span<const Name> names, const std::atomic<bool>* stop)
      : process_(process), names_(names), stop_(stop) {}

 private:
  // True when the wait has ended.
  bool holds() override LINTEL_REQUIRES(kLock) {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
      end_ = WaitEnd::kStopped;
      return true;
    }
    Object* ready = nullptr;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Object* const candidate = object(i);
      if (candidate == nullptr) {
        end_ = WaitEnd::kInvalid;
        index_ = i;
        return true;
      }
      if (ready == nullptr && Self::is_ready(*candidate, names_[i])) {
        ready = candidate;
        index_ = i;
      }
    }
    if (ready == nullptr) return false;
    end_ = WaitEnd::kReady;
    static_cast<Self*>(this)->take(*ready);
    return true;
  }

  void asleep(bool asleep) override LINTEL_REQUIRES(kLock) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      // An object that was freed during the sleep has no count any more.
      if (Object* sleeping_on = object(i))
        asleep ? ++sleeping_on->sleepers : --sleeping_on->sleepers;
    }
  }

  Object* object(std::size_t index) LINTEL_REQUIRES(kLock) {
    NetworkInterface* interface = process_.interface(names_[index].interface_kind);
    return interface != nullptr ? Self::find(*interface, names_[index].id) : nullptr;
  }

  Process& process_;
  std::span<const Name> names_;
  const std::atomic<bool>* stop_;
  WaitEnd end_ = WaitEnd::kNothing;
  std::size_t index_ = 0;
};

}  // namespace lintel::portals
