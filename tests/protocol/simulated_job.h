#pragma once
// SimulatedJob: several processes of Portals 3 on a simulated network, in one thread and virtual time, spoken to through the C API.
//
// A test says which process it plays (`as(0)`), calls Ptl* functions, and lets the network run (`settle()`). Nothing sleeps; nothing is random but for
// the seed.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "portals/api3/library.h"
#include "portals/engine/process.h"
#include "portals3.h"
#include "transport/session/session.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::testing {

struct JobOptions {
  std::size_t processes = 2;
  transport::SimulatedOptions network{};
  portals::EndpointOptions endpoint{.eager_limit = 1024, .max_operations = 4096};
  transport::SessionOptions session{};
  std::vector<std::uint32_t> users{};       // uid of each process; missing: 1000
  std::optional<ptl_ni_limits_t> limits{};  // what PtlNIInit is asked for
  bool real_time = false;                   // the processes look at the machine's clock, for tests in which a call waits
  bool open = true;                         // PtlInit and PtlNIInit have been called
};

class SimulatedJob {
 public:
  explicit SimulatedJob(JobOptions options = {});
  ~SimulatedJob();

  // The C functions now act as process `rank`.
  void as(std::size_t rank);

  // Lets virtual time pass, all processes polling, until nothing is under way or `limit` has passed.
  void settle(Nanoseconds limit = std::chrono::milliseconds(50));
  // Lets exactly `duration` of virtual time pass, all processes polling.
  void run(Nanoseconds duration);
  // One poll of one process, and no time. Returns how many things happened.
  std::size_t poll(std::size_t rank);
  // Whatever else lives on the network, to be polled along with the processes; returns how many things happened.
  void poll_also(std::function<std::size_t()> other) { others_.push_back(std::move(other)); }

  ptl_process_id_t id(std::size_t rank) const { return {kNid + static_cast<std::uint32_t>(rank), 1}; }
  ptl_handle_ni_t ni() const { return ni_; }
  // Ends all processes, each in order. The network stays; nothing else may be called.
  void close();
  // The process disappears.
  void kill(std::size_t rank, transport::Death death);
  portals::Process& process(std::size_t rank) { return *processes_[rank]; }
  transport::SimulatedNetwork& network() { return network_; }

  // Takes all events that are in `eq` of the process in force.
  std::vector<ptl_event_t> events(ptl_handle_eq_t eq);
  std::uint64_t status(ptl_sr_index_t reg);

 private:
  std::size_t poll_all();

  static constexpr std::uint32_t kNid = 0x0a000001;

  transport::SimulatedNetwork network_;
  std::vector<std::unique_ptr<portals::Process>> processes_;
  std::vector<bool> alive_;
  std::vector<std::function<std::size_t()>> others_;
  std::optional<api3::ScopedProcess> scoped_;
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
};

}  // namespace lintel::testing
