#pragma once
// How tests wait as an engine does, and what waiting costs.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "transport/transport.h"

namespace lintel::transport {

// Sleeps until the transport may have something, or must be polled. Returns false if nothing came
// within `limit`.
inline bool sleep_once(Transport& transport, Nanoseconds limit) {
  if (!transport.prepare_wait()) return true;
  const TimePoint now = monotonic_now();
  const Nanoseconds left =
      std::max(std::min(transport.next_deadline(), now + limit) - now, Nanoseconds(0));
  pollfd waited{transport.wait_fd(), POLLIN, 0};
  const timespec timeout{left.count() / 1000000000, left.count() % 1000000000};
  return ::ppoll(&waited, 1, &timeout, nullptr) > 0 || left < limit;
}

// Processor time of the calling thread.
inline double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Waits for one second in which nothing arrives.
template <class Node>
void expect_idle_costs_nothing(Node& node) {
  const double before = processor_seconds();
  const TimePoint end = monotonic_now() + std::chrono::seconds(1);
  std::size_t wakes = 0;
  while (monotonic_now() < end) {
    sleep_once(*node.transport, end - monotonic_now());
    node.poll();
    ++wakes;
  }
  EXPECT_LT(processor_seconds() - before, 0.02);
  EXPECT_LT(wakes, 30U);
}

}  // namespace lintel::transport
