#pragma once
// PartsTest: the parts of a messenger in two processes on a simulated network, without the
// messenger. A test calls one part and checks what it has done. The only thread holds all locks.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "mpi_layer/p2p/probes.h"
#include "mpi_layer/p2p/sends.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {

class PartsTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kEager = 1024;
  static constexpr std::uint32_t kMostPosted = 2;
  static constexpr Nanoseconds kContactAfter = std::chrono::seconds(1);

  struct Side {
    explicit Side(portals::Process& process);
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;
    ~Side() { engine.close(); }

    // Takes all events.
    std::vector<portals::Event> take_events() LINTEL_REQUIRES(kLock);
    // Gives them to sends and receives.
    void drain() LINTEL_REQUIRES(kLock);
    mpi::SharedParts shared() {
      return {engine, peers, credit, controls, watch, placement, ends, link, deferred_work};
    }

    mpi::EngineAccess engine;
    mpi::DeferredWork deferred_work;
    mpi::GatewayLink link;
    mpi::PeerTable peers;
    mpi::CreditLedger credit;
    mpi::ControlPackets controls;
    mpi::PeerWatch watch;
    mpi::UnexpectedBlocks unexpected_blocks;
    mpi::EagerPlacement placement;
    mpi::RequestEnds ends;
    mpi::Sends sends;
    mpi::Receives receives;
    mpi::Probes probes;
    mpi::Peer* peer = nullptr;  // the other process
  };

  PartsTest();
  // Delivers what was sent.
  void settle() { processes.settle(); }

  SimulatedProcesses processes;
  std::array<std::unique_ptr<Side>, 2> sides;
  Side& here;
  Side& there;
};

}  // namespace lintel::testing
