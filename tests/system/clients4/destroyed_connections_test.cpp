// The clients of Portals 4 that move data, while the system destroys their connections again and
// again. They check all contents and events themselves.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "tests/system/job/destroyed_connections.h"
#include "tests/system/job/on_every_provider.h"

namespace lintel::testing {
namespace {

using namespace std::chrono_literals;

class ClientsOverDestroyedConnections : public DestroyedConnections,
                                        public ::testing::WithParamInterface<const char*> {};
// The name of the network says that it runs on no other one.
INSTANTIATE_TEST_SUITE_P(, ClientsOverDestroyedConnections, ::testing::Values("direct"),
                         provider_name);

TEST_P(ClientsOverDestroyedConnections, EachEndsWellAgainAndAgain) {
  static constexpr std::array kClients = {"btl", "coll", "mtl", "osc", "rest", "shmem"};
  run_for(120s, [](unsigned turn) {
    return std::string(CLIENTS4 "/lintel_client4_") + kClients[turn % kClients.size()] + " 4";
  });
}

}  // namespace
}  // namespace lintel::testing
