#pragma once
// SimulatedJob4: several processes of Portals 4 on a simulated network, used through the C API.
// Each has opened one interface of the same kind.

#include <cstdint>
#include <optional>
#include <vector>

#include "portals4.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {

struct JobOptions4 {
  std::size_t processes = 2;
  unsigned interface = PTL_NI_MATCHING | PTL_NI_PHYSICAL;
  bool map = true;  // a logical interface has its map: rank i is process i
  // With this seed the data of a large put are still under way when a test says so.
  transport::SimulatedOptions network{.seed = 3};
  portals::EndpointOptions endpoint{.eager_limit = 1024, .max_operations = 4096};
  transport::SessionOptions session{};
  std::vector<std::uint32_t> users{};  // uid of each process; default 1000
  // the limits that PtlNIInit requests; 0 leaves one to the library
  std::optional<ptl_ni_limits_t> limits{};
  Nanoseconds linger{0};   // see ProcessesOptions
  bool real_time = false;  // the processes use the machine's clock, for tests in which a call waits
  bool open = true;        // PtlInit and PtlNIInit have been called
};

class SimulatedJob4 : public SimulatedProcesses {
 public:
  explicit SimulatedJob4(const JobOptions4& options = {});
  ~SimulatedJob4();

  bool logical() const { return (interface_ & PTL_NI_LOGICAL) != 0; }
  bool matching() const { return (interface_ & PTL_NI_MATCHING) != 0; }
  // The name of a process on this interface: rank, or nid and pid.
  ptl_process_t id(std::size_t rank) const {
    return logical() ? ptl_process_t{static_cast<ptl_rank_t>(rank)} : physical_id(rank);
  }
  static ptl_process_t physical_id(std::size_t rank);
  // A match_id that matches any process.
  ptl_process_t anyone() const;
  // Calls PtlSetMap as process `rank`, which stays current.
  int set_map(std::size_t rank);

  ptl_handle_ni_t ni() const { return ni_; }
  const ptl_ni_limits_t& limits() const { return limits_; }
  // Calls PtlFini in every process and ends them. Nothing else may be called afterwards.
  void close();

  // Takes all events in `eq` of the current process.
  static std::vector<ptl_event_t> events(ptl_handle_eq_t eq);
  int status(ptl_sr_index_t reg) const;
  // How many messages `portal` of process `rank` has accepted whose data are still under way.
  std::size_t landing(std::size_t rank, ptl_pt_index_t portal);

 private:
  unsigned interface_;
  bool lingers_;
  bool open_;
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  ptl_ni_limits_t limits_{};
};

}  // namespace lintel::testing
