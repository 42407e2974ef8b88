#pragma once
// SimulatedProcesses: several processes of the engine on a simulated network, in one thread and
// virtual time. What the jobs of both APIs have in common.
//
// A test says which process it plays (`as(0)`), calls functions of an API, and lets the network run
// (`settle()`). Nothing sleeps; nothing is random but for the seed.
// Does not: call any function of an API (simulated_job.h, tests/protocol4/simulated_job4.h).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "portals/engine/host_process.h"
#include "portals/engine/process.h"
#include "transport/session/session.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::testing {

struct ProcessesOptions {
  std::size_t processes = 2;
  transport::SimulatedOptions network{};
  portals::EndpointOptions endpoint{};
  transport::SessionOptions session{};
  std::vector<std::uint32_t> users{};  // uid of each process; missing: 1000
  Nanoseconds linger{0};               // of the processes, see drive_by_clock()
  bool real_time = false;              // the processes look at the machine's clock, for tests in
                                       // which a call waits
};

class SimulatedProcesses {
 public:
  explicit SimulatedProcesses(const ProcessesOptions& options);
  SimulatedProcesses(const SimulatedProcesses&) = delete;
  SimulatedProcesses& operator=(const SimulatedProcesses&) = delete;
  ~SimulatedProcesses();

  // The C functions now act as process `rank`.
  void as(std::size_t rank);

  // Lets virtual time pass, all processes polling, until nothing is under way or `limit` has
  // passed.
  void settle(Nanoseconds limit = std::chrono::milliseconds(50));
  // Lets exactly `duration` of virtual time pass, all processes polling.
  void run(Nanoseconds duration);
  // One poll of one process, and no time. Returns how many things happened.
  std::size_t poll(std::size_t rank);
  // For calls that wait in virtual time: when process `rank` asks what time it is, the network
  // moves on and the others poll.
  void drive_by_clock(std::size_t rank) { clock_driver_ = rank; }
  // A call of process `rank` that waits, driven so; nobody is afterwards. REQUIRES:
  // ProcessesOptions::linger, so that nobody sleeps in real time.
  template <class Call>
  auto waiting(std::size_t rank, Call&& call) {
    drive_by_clock(rank);
    const auto result = call();
    clock_driver_ = kNobody;
    return result;
  }
  // Whatever else lives on the network, to be polled along with the processes; returns how many
  // things happened.
  void poll_also(std::function<std::size_t()> other) { others_.push_back(std::move(other)); }

  static ProcessId name(std::size_t rank) {
    return {NodeId(kNid + static_cast<std::uint32_t>(rank)), Pid(1)};
  }
  std::size_t size() const { return processes_.size(); }
  // Ends all processes, each in order. The network stays; nothing else may be called.
  void close();
  // The process disappears.
  void kill(std::size_t rank, transport::Death death);
  portals::Process& process(std::size_t rank) { return *processes_[rank]; }
  // REQUIRES: an interface of it is open; its lock.
  transport::Session& session(std::size_t rank) { return *sessions_[rank]; }
  transport::SimulatedNetwork& network() { return network_; }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  // Polls every process that a thread in its place would not sleep through: a wake-up that the
  // engine owes shows as something that never happens.
  std::size_t poll_all(std::size_t but = kNobody);
  bool sleeps(std::size_t rank);
  TimePoint ask_clock(std::size_t rank);

  static constexpr std::uint32_t kNid = 0x0a000001;

  transport::SimulatedNetwork network_;
  std::vector<std::unique_ptr<portals::Process>> processes_;
  std::vector<transport::Session*> sessions_;  // the last one of each process
  std::vector<bool> alive_;
  bool lingers_;
  std::vector<std::function<std::size_t()>> others_;
  std::size_t clock_driver_ = kNobody;
  struct Clock {
    SimulatedProcesses* processes;
    std::size_t rank;
  };
  std::vector<Clock> clocks_;  // of each process
  std::optional<portals::ScopedProcess> scoped_;
};

}  // namespace lintel::testing
