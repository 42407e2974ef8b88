#pragma once
// MessengerOptions: what a messenger is opened with.

#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace lintel::mpi {

struct MessengerOptions {
  // These are the same in all processes of a job, because both ends compute credit from them.
  std::uint32_t most_processes = 1;                   // the most that will be in the table
  std::uint64_t unexpected_bytes = 64 * 1024 * 1024;  // Config::mpi_unexpected_bytes
  // Unexpected messages of all senders together. Each sender gets at least `least_headers`.
  std::uint32_t unexpected_headers = 65536;
  std::uint32_t least_headers = 1024;
  // These may differ between processes. Receives that are posted at the same time. Further receives
  // wait in order; messages for them arrive as unexpected messages.
  std::uint32_t most_receives = 200'000;
  // How long a call waits for a message of a process without a session until it opens one.
  Nanoseconds contact_after = std::chrono::milliseconds(2500);
  bool list_completed = false;  // the user calls take_completed()
  // Unmatched messages of all outside processes together; 0: there are no outside processes.
  std::uint32_t outside_headers = 0;
};

}  // namespace lintel::mpi
