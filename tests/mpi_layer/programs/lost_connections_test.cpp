// An MPI job on direct whose connections the system destroys again and again, for
// LINTEL_DESTROY_SECONDS: all messages of random traffic arrive once, in order and with the right
// bytes, which the program checks.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/system/job/destroyed_connections.h"

namespace lintel::testing {
namespace {

constexpr int kSeconds = LINTEL_DESTROY_SECONDS;
constexpr unsigned kFirstSeed = 14;

class MpiOverLostConnections : public DestroyedConnections,
                               public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(, MpiOverLostConnections, ::testing::Values(kSeconds),
                         [](const ::testing::TestParamInfo<int>& seconds) {
                           return "direct_" + std::to_string(seconds.param) + "_seconds";
                         });

TEST_P(MpiOverLostConnections, RandomTrafficArrives) {
  run_for(std::chrono::seconds(GetParam()), [](unsigned turn) {
    return LINTEL_RUN " -n 4 " MPI_TRAFFIC " " + std::to_string(kFirstSeed + turn) + " 120 300000";
  });
}

}  // namespace
}  // namespace lintel::testing
