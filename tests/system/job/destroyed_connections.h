#pragma once
// DestroyedConnections: programs that run again and again while the system destroys all their
// connections, as an administrator may with ss -K. They have a network namespace of their own, so
// that all connections there are theirs. A fixture.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "tests/system/job/lost_connections.h"

namespace lintel::testing {

class DestroyedConnections : public ::testing::Test, protected LostConnections {
 protected:
  // Runs the commands of turn 0, 1, ... for so long, and expects that each succeeds, that many
  // connections were lost in each second, and that all went on. Skips the test where that is not
  // permitted.
  void run_for(std::chrono::seconds duration,
               const std::function<std::string(unsigned turn)>& command);
};

}  // namespace lintel::testing
