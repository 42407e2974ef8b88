#pragma once
// MessengerJob: several processes with a Messenger each, on a simulated network, in one thread and
// virtual time.
//
// Calls that wait need as(rank): each time they read the clock, the network and the other processes
// advance. All other calls return at once, and settle() lets things happen.

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
  // most_processes is filled in. The sanitizers mark all memory for unexpected messages whenever a
  // job starts and ends: with the default of programs, that would be most of what these tests do.
  mpi::MessengerOptions messenger{.unexpected_bytes = std::uint64_t{16} << 20};
  // sets unexpected_bytes of the last process, which breaks the rules
  std::optional<std::uint64_t> different_bytes{};
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
  // Advances virtual time, all processes making progress, until nothing is under way.
  void settle() { processes_.settle(); }
  void run(Nanoseconds duration) { processes_.run(duration); }
  // While `computing`, the process calls nothing and makes no progress in p2p. Its engine
  // continues.
  void compute(std::size_t rank, bool computing) { computing_[rank] = computing; }
  void kill(std::size_t rank, transport::Death death);
  // Calls Messenger::close(). The process continues.
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
