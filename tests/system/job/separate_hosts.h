#pragma once
// SeparateHosts: each rank of a job has a network namespace, which stands for a host and disappears
// with the rank. A test says by what they are joined.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/system/job/process_group.h"

namespace lintel::testing {

// Whether the command succeeds.
bool run(const std::string& command);

class SeparateHosts : public ::testing::Test {
 protected:
  static constexpr std::size_t kOver = 3;  // board word: the namespaces are no longer needed

  // The commands that make a device in the namespace of each rank.
  virtual std::vector<std::string> cable(const ProcessGroup& job) = 0;
  virtual std::string device(std::size_t rank) const = 0;

  static std::string address(std::size_t rank) { return "10.77.0." + std::to_string(rank + 1); }
  static std::string inside(const ProcessGroup& job, std::size_t rank) {
    return "nsenter -n -t " + std::to_string(job.os_pid(rank)) + " ";
  }
  // Starts all ranks, each on a host of its own, and runs `body` there once they can reach each
  // other. Skips the test where that is not permitted.
  void start(ProcessGroup& job, const ProcessGroup::Body& body);
  // Whether there is nothing to run: skipped, or already failed.
  static bool cannot_start() { return IsSkipped() || HasFatalFailure(); }

 private:
  std::string plug_in(const ProcessGroup& job);
};

}  // namespace lintel::testing
