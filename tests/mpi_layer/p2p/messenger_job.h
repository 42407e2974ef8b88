#pragma once
// MessengerJob: several processes with a Messenger each, on a simulated network, in one thread and
// virtual time.
//
// Calls that wait need as(rank): they drive the network and the other processes by asking what time
// it is. All others return, and settle() lets things happen.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi_layer/p2p/messenger.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {

struct MessengerJobOptions {
  std::size_t processes = 2;
  transport::SimulatedOptions network{};
  portals::EndpointOptions endpoint{.eager_limit = 1024, .max_operations = 4096};
  transport::SessionOptions session{};
  mpi::Options messenger{};                        // most_processes is filled in
  std::optional<std::uint64_t> different_bytes{};  // unexpected_bytes of the last process, against
                                                   // the rules
};

class MessengerJob {
 public:
  explicit MessengerJob(const MessengerJobOptions& options);
  MessengerJob(const MessengerJob&) = delete;
  MessengerJob& operator=(const MessengerJob&) = delete;
  ~MessengerJob();

  mpi::Messenger& at(std::size_t rank) { return *messengers_[rank]; }
  // The same, for a call that waits.
  mpi::Messenger& as(std::size_t rank);
  // Lets virtual time pass, all making progress, until nothing is under way.
  void settle() { processes_.settle(); }
  void run(Nanoseconds duration) { processes_.run(duration); }
  // Neither makes progress in p2p nor calls anything from now on, or again; its engine goes on.
  void compute(std::size_t rank, bool computing) { computing_[rank] = computing; }
  void kill(std::size_t rank, transport::Death death);
  // Messenger::close(); the process goes on.
  void close(std::size_t rank);

  SimulatedProcesses& processes() { return processes_; }

 private:
  std::size_t progress();

  SimulatedProcesses processes_;
  std::vector<std::unique_ptr<mpi::Messenger>> messengers_;
  std::vector<bool> computing_;
  std::size_t driver_ = ~std::size_t{0};
};

}  // namespace lintel::testing
