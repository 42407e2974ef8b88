#pragma once
// Options: what a messenger is opened with.

#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace lintel::mpi {

struct Options {
  // The same in all processes of a job: credit is derived from them at both ends.
  std::uint32_t most_processes = 1;                   // that will ever be in the table
  std::uint64_t unexpected_bytes = 64 * 1024 * 1024;  // Config::mpi_unexpected_bytes
  // Of all senders together; at least `least_headers` for each are granted.
  std::uint32_t unexpected_headers = 65536;
  std::uint32_t least_headers = 1024;
  // This process' own.
  // Receives that are posted at once; further ones wait, in order, with the messages for them
  // unexpected.
  std::uint32_t most_receives = 200'000;
  Nanoseconds close_patience = std::chrono::seconds(2);  // see Messenger::close()
  // How long somebody waits for a message of a process that was never met until that one is
  // greeted.
  Nanoseconds contact_after = std::chrono::milliseconds(2500);
  bool list_completed = false;  // take_completed() is called
  // Messages of processes outside that may wait for their receives at once; 0: there are no such
  // processes.
  std::uint32_t outside_headers = 0;
};

}  // namespace lintel::mpi
