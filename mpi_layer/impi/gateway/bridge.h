#pragma once
// Bridge: what joins one process to the processes of other jobs, as long as the program runs: the
// gateway of its messenger, and the way that packets take: in the agent, the process of the
// client's lowest rank, to the connections with other hosts; in the others to the agent.
//
// Driven by the engine's progress like the engine itself: no thread of its own. One owner; any
// thread may use the messenger meanwhile.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/gateway/crossing.h"
#include "mpi_layer/impi/gateway/packet_route.h"
#include "mpi_layer/impi/sockets/join.h"
#include "portals/engine/companion.h"
#include "portals/engine/process.h"

namespace lintel::mpi::impi {

class Bridge final : private portals::Companion {
 public:
  // The world cannot go on, for the reason in the sentence. Called once, with the lock of the
  // process; what is outside does not answer any more.
  using Broken = std::function<void(const std::string& sentence)>;

  struct Place {
    const JobLayout& layout;
    std::uint32_t rank;               // of this process in the world
    std::optional<JoinedJob> joined;  // in the agent
    Nanoseconds peer_timeout;         // in the agent: a machine that is silent for so long is lost
  };
  // All processes of the job know each other; `messenger`, which is borrowed like `process`, has
  // the world's ranks for numbers.
  static Outcome<std::unique_ptr<Bridge>> open(portals::Process& process, Messenger& messenger,
                                               Place place, Broken broken);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge() override = default;
  // Nothing calls it any more. Before the messenger is closed; it must not die before that has
  // happened, which ends what it has under way. Once or more.
  void detach();

  // Waits until what this process has sent has left it, for `patience` at most; false: it has not.
  // Blocks. That other processes of the job end is no news from then on.
  bool finish_sending(Nanoseconds patience);
  // All processes of this job have finished: says so to the other hosts, waits until they do, and
  // tells the server. False: they have not within `patience`. Blocks. The agent only.
  bool finish(Nanoseconds patience);

 private:
  Bridge(portals::Process& process, Messenger& messenger)
      : process_(process), messenger_(messenger) {}
  Outcome<> start(Place place, Broken broken);
  int fd() const override { return route_->fd(); }
  std::size_t poll() override;
  void dump(std::string& out) const override;
  template <class Holds>
  bool wait_until(Holds holds, Nanoseconds patience);

  portals::Process& process_;
  Messenger& messenger_;
  bool attached_ = false;
  std::unique_ptr<PacketRoute> route_;
  std::unique_ptr<Crossing> crossing_;
};

}  // namespace lintel::mpi::impi
