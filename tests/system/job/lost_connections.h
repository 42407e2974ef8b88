#pragma once
// LostConnections: the environment of processes on direct that lose their connections again and
// again, and how often these were resumed. Makes a folder of its own, and removes it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/system/job/board.h"
#include "tests/system/job/counters_file.h"
#include "tests/system/job/process_group.h"

namespace lintel::testing {

class LostConnections {
 public:
  LostConnections() { std::filesystem::create_directories(folder_); }
  LostConnections(const LostConnections&) = delete;
  LostConnections& operator=(const LostConnections&) = delete;
  ~LostConnections() { std::filesystem::remove_all(folder_); }

  // Each message and each write loses its connection with that probability.
  Environment with_resets(double probability) const {
    Environment environment = counting();
    environment["LINTEL_FAULTS"] = "reset=" + std::to_string(probability);
    return environment;
  }
  Environment counting() const {
    return {{"LINTEL_PROVIDER", "direct"}, {"LINTEL_COUNTERS_FILE", folder_ + "/%p"}};
  }
  // By the system, as an administrator may, which ends both sockets of a connection. False: that
  // needs root, and a kernel with CONFIG_INET_DIAG_DESTROY.
  static bool can_destroy() {
    return std::system("ss -tK dst 127.0.0.1 dport = :1 > /dev/null 2>&1") == 0;
  }
  // Destroys all connections of the job, again and again, until the word of its board is set.
  static void destroy_until(ProcessGroup& job, std::size_t ranks, std::size_t word) {
    std::string command = "ss -tK '( ";
    for (std::size_t rank = 0; rank < ranks; ++rank)
      command +=
          (rank == 0 ? "sport = :" : " or sport = :") + std::to_string(job.board().id(rank).pid);
    command += " )' > /dev/null 2>&1";
    const auto limit =
        std::chrono::steady_clock::now() + Board::kTimeout;  // a rank may have failed
    while (job.board().get(word) == 0 && std::chrono::steady_clock::now() < limit)
      EXPECT_EQ(std::system(command.c_str()), 0);
  }
  // Of all processes that have ended. Each connection is counted at both of its ends.
  std::uint64_t resumed() const { return sum_of("connections_resumed"); }
  std::uint64_t sum_of(const std::string& counter) const {
    std::uint64_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      sum += counters_in(entry.path().string())[counter];
    return sum;
  }

 private:
  std::string folder_ = ::testing::TempDir() + "lost_connections_" + std::to_string(getpid());
};

}  // namespace lintel::testing
