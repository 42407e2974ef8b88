#include "tests/protocol/simulated_job.h"

#include "base/assert.h"

namespace lintel::testing {

SimulatedJob::SimulatedJob(const JobOptions& options)
    : SimulatedProcesses({options.processes, options.network, options.endpoint, options.session,
                          options.users, options.linger, options.real_time}) {
  for (std::size_t rank = 0; options.open && rank < size(); ++rank) {
    as(rank);
    int interfaces = 0;
    LINTEL_ASSERT(PtlInit(&interfaces) == PTL_OK);
    LINTEL_ASSERT(
        PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY,
                  options.limits ? const_cast<ptl_ni_limits_t*>(&*options.limits) : nullptr,
                  nullptr, &ni_) == PTL_OK);
  }
  if (size() > 0) as(0);
}

std::vector<ptl_event_t> SimulatedJob::events(ptl_handle_eq_t eq) {
  std::vector<ptl_event_t> all;
  ptl_event_t event;
  while (true) {
    const int code = PtlEQGet(eq, &event);
    if (code != PTL_OK && code != PTL_EQ_DROPPED) return all;
    all.push_back(event);
  }
}

std::uint64_t SimulatedJob::status(ptl_sr_index_t reg) {
  ptl_sr_value_t value = 0;
  LINTEL_ASSERT(PtlNIStatus(ni_, reg, &value) == PTL_OK);
  return value;
}

}  // namespace lintel::testing
