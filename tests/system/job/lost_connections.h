#pragma once
// LostConnections: the environment of processes on direct that lose their connections again and
// again, and how often these were resumed. Makes a folder of its own, and removes it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/system/job/board.h"
#include "tests/system/job/process_group.h"

namespace lintel::testing {

class LostConnections {
 public:
  LostConnections();
  LostConnections(const LostConnections&) = delete;
  LostConnections& operator=(const LostConnections&) = delete;
  ~LostConnections();

  // Each message and each write loses its connection with that probability.
  Environment with_resets(double probability) const;
  Environment counting() const;

  // By the system, as an administrator may: ss -K ends both sockets of a connection. "", or why
  // that is not possible here, for who skips the test. Destroys a connection of its own to see it.
  static std::string destroying_obstacle();
  // Destroys all connections between the first `ranks` ranks.
  static std::string destroying_command(ProcessGroup& job, std::size_t ranks);
  // Runs the command again and again, until the word of the job's board is set, and no longer than
  // that: a rank may have failed.
  static void destroy_until(ProcessGroup& job, std::size_t word, const std::string& command,
                            std::chrono::seconds longest = Board::kTimeout);

  // The connections of all processes that have ended that were lost and resumed. Each is counted at
  // both of its ends.
  std::uint64_t resumed() const { return sum_of("connections_resumed") / 2; }
  std::uint64_t sum_of(const std::string& counter) const;

 private:
  std::string folder_ = ::testing::TempDir() + "lost_connections_" + std::to_string(getpid());
};

}  // namespace lintel::testing
