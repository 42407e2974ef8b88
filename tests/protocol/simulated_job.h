#pragma once
// SimulatedJob: several processes of Portals 3 on a simulated network, used through the C API.

#include <cstdint>
#include <optional>
#include <vector>

#include "portals/api3/library.h"
#include "portals3.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {

struct JobOptions {
  std::size_t processes = 2;
  transport::SimulatedOptions network{};
  portals::EndpointOptions endpoint{.eager_limit = 1024, .max_operations = 4096};
  transport::SessionOptions session{};
  std::vector<std::uint32_t> users{};       // uid of each process; default 1000
  std::optional<ptl_ni_limits_t> limits{};  // what PtlNIInit is asked for
  Nanoseconds linger{0};                    // see ProcessesOptions
  bool real_time = false;  // the processes use the machine's clock, for tests in which a call waits
  bool open = true;        // PtlInit and PtlNIInit have been called
};

class SimulatedJob : public SimulatedProcesses {
 public:
  explicit SimulatedJob(const JobOptions& options = {});

  ptl_process_id_t id(std::size_t rank) const {
    return {name(rank).nid.value, name(rank).pid.value};
  }
  ptl_handle_ni_t ni() const { return ni_; }

  // Takes all events in `eq` of the current process.
  std::vector<ptl_event_t> events(ptl_handle_eq_t eq);
  std::uint64_t status(ptl_sr_index_t reg);

 private:
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
};

}  // namespace lintel::testing
