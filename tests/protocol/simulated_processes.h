#pragma once
// SimulatedProcesses: several processes of the engine on a simulated network, in one thread and
// virtual time; the common part of the jobs of both APIs.
//
// A test selects a process (`as(0)`), calls functions of an API, and lets the network run
// (`settle()`). Nothing sleeps. Only the seed makes anything random. Does not: call functions of an
// API (simulated_job.h, tests/protocol4/simulated_job4.h).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "portals/engine/node/host_process.h"
#include "portals/engine/process/process.h"
#include "transport/session/session.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::testing {

struct ProcessesOptions {
  std::size_t processes = 2;
  transport::SimulatedOptions network{};
  portals::EndpointOptions endpoint{};
  transport::SessionOptions session{};
  std::vector<std::uint32_t> users{};  // uid of each process; default 1000
  Nanoseconds linger{0};               // linger time of the processes, see drive_by_clock()
  bool real_time = false;  // the processes use the machine's clock, for tests in which a call waits
};

class SimulatedProcesses {
 public:
  explicit SimulatedProcesses(const ProcessesOptions& options);
  SimulatedProcesses(const SimulatedProcesses&) = delete;
  SimulatedProcesses& operator=(const SimulatedProcesses&) = delete;
  ~SimulatedProcesses();

  // Selects process `rank` for the following calls of the C API.
  void as(std::size_t rank);

  // Advances virtual time, polling all processes, until nothing is under way or `limit` has passed.
  void settle(Nanoseconds limit = std::chrono::milliseconds(50));
  // Advances virtual time by exactly `duration`, polling all processes.
  void run(Nanoseconds duration);
  // Polls one process once, without advancing time. Returns how many things happened.
  std::size_t poll(std::size_t rank);
  // For calls that wait in virtual time: each time process `rank` reads its clock, the network
  // advances and the others poll.
  void drive_by_clock(std::size_t rank) { clock_driver_ = rank; }
  // Makes a waiting call of process `rank` under drive_by_clock(), which ends with it. REQUIRES:
  // ProcessesOptions::linger, so that no process sleeps in real time.
  template <class Call>
  auto waiting(std::size_t rank, Call&& call) {
    drive_by_clock(rank);
    const auto result = call();
    clock_driver_ = kNobody;
    return result;
  }
  // Adds something on the network that is polled along with the processes. It returns how many
  // things happened.
  void poll_also(std::function<std::size_t()> other) { others_.push_back(std::move(other)); }

  static ProcessId name(std::size_t rank) {
    return {NodeId(kNid + static_cast<std::uint32_t>(rank)), Pid(1)};
  }
  std::size_t size() const { return processes_.size(); }
  // Ends all processes in order. The network stays. Nothing else may be called afterwards.
  void close();
  // The process disappears in the way that `death` says.
  void kill(std::size_t rank, transport::Death death);
  portals::Process& process(std::size_t rank) { return *processes_[rank]; }
  // REQUIRES: the process has an open interface; the caller holds its lock.
  transport::Session& session(std::size_t rank) { return *sessions_[rank]; }
  transport::SimulatedNetwork& network() { return network_; }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  // Polls every process whose thread would be awake. If the engine fails to request a wake-up, the
  // test then sees that something never happens.
  std::size_t poll_all(std::size_t but = kNobody);
  bool sleeps(std::size_t rank);
  TimePoint ask_clock(std::size_t rank);

  static constexpr std::uint32_t kNid = 0x0a000001;

  transport::SimulatedNetwork network_;
  std::vector<std::unique_ptr<portals::Process>> processes_;
  std::vector<transport::Session*> sessions_;  // the last session of each process
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
