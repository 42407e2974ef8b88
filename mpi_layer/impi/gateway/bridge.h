#pragma once
// Bridge: connects one process to the processes of other jobs while the program runs. It has the
// gateway of the messenger and the route of its packets. The agent, the process of the client's
// lowest rank, has the connections with other hosts; the other processes send their packets to the
// agent.
//
// The engine's progress drives it; it has no thread of its own. One owner; any thread may use the
// messenger meanwhile.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/gateway/impi_gateway.h"
#include "mpi_layer/impi/gateway/packet_route.h"
#include "mpi_layer/impi/sockets/join.h"
#include "portals/engine/process/attached_work.h"
#include "portals/engine/process/process.h"

namespace lintel::mpi::impi {

class Bridge final : private portals::AttachedWork {
 public:
  // The job cannot go on; the sentence says why. Called once, with the lock of the process held.
  // Outside processes do not answer any more.
  using Broken = std::function<void(const std::string& sentence)>;

  struct BridgeSetup {
    const JobLayout& layout;
    std::uint32_t rank;               // of this process in the world
    std::optional<JoinedJob> joined;  // in the agent
    Nanoseconds peer_timeout;         // in the agent: a machine silent for so long is lost
  };
  // `process` and `messenger` are borrowed. REQUIRES: the table of `messenger` is complete; its
  // numbers are the ranks of the world.
  static Outcome<std::unique_ptr<Bridge>> open(portals::Process& process, Messenger& messenger,
                                               BridgeSetup place, Broken broken);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge() override = default;
  // Detaches it from the engine and the messenger, which do not call it any more. Call it before
  // the messenger is closed. Destroy the bridge after that, because closing ends the requests that
  // it has under way. May be called again.
  void detach();

  // Waits until everything that this process has sent has left it, for at most `timeout`. False:
  // it has not. Blocks. From then on, the end of other processes of the job is no failure.
  bool finish_sending(Nanoseconds timeout);
  // For the agent, when all processes of this job have finished: sends FINI to the other hosts,
  // waits for theirs, and sends FINI to the server. False: theirs did not arrive within `timeout`.
  // Blocks.
  bool finish(Nanoseconds timeout);

 private:
  Bridge(portals::Process& process, Messenger& messenger)
      : process_(process), messenger_(messenger) {}
  Outcome<> start(BridgeSetup place, Broken broken) LINTEL_REQUIRES(kLock);
  int fd() const override LINTEL_REQUIRES(kLock) { return route_->fd(); }
  std::size_t poll() override LINTEL_REQUIRES(kLock);
  void dump(std::string& out) const override LINTEL_REQUIRES(kLock);
  template <class Holds>
  bool wait_until(Holds holds, Nanoseconds timeout) LINTEL_REQUIRES(kLock);

  portals::Process& process_;
  Messenger& messenger_;
  bool attached_ LINTEL_GUARDED_BY(kLock) = false;
  std::unique_ptr<PacketRoute> route_ LINTEL_GUARDED_BY(kLock);
  std::unique_ptr<ImpiGateway> gateway_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi::impi
