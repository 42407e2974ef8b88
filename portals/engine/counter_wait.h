#pragma once
// CounterWait: one look at several counting events, and then waiting until one of them has reached what is asked of it. What PtlCTWait and PtlCTPoll are made
// of.
//
// Made on the caller's stack for one call; borrows the process and what is waited for. Thread: one; every member REQUIRES the process' lock, which waiting lets
// go.

#include <atomic>
#include <cstdint>
#include <span>

#include "portals/engine/process.h"

namespace lintel::portals {

struct CounterTest {
  std::uint8_t interface_kind;
  SlotId id;
  std::uint64_t test;
};

class CounterWait final : private Condition {
 public:
  enum class Outcome : std::uint8_t { kNothing, kReached, kInvalid, kStopped };
  static constexpr TimePoint kAtOnce{0};

  // All must be good, also those behind the first that has reached its test; one that is not is the answer. `stop` ends the wait when it is set.
  CounterWait(Process& process, std::span<const CounterTest> tests, const std::atomic<bool>& stop)
      : process_(process), tests_(tests), stop_(stop) {}

  // kAtOnce: looks, drives the engine one turn if there is nothing, and looks again. kNever: waits for ever.
  Outcome run(TimePoint deadline);

  // After kReached.
  const CountingEvent::Value& value() const { return value_; }
  // The counting event that has answered.
  std::size_t index() const { return index_; }

 private:
  bool holds() override { return look(); }
  void asleep(bool asleep) override;
  CountingEvent* counter(std::size_t index);
  bool look();

  Process& process_;
  std::span<const CounterTest> tests_;
  const std::atomic<bool>& stop_;
  Outcome outcome_ = Outcome::kNothing;
  CountingEvent::Value value_;
  std::size_t index_ = 0;
};

}  // namespace lintel::portals
