#include "tests/protocol4/simulated_job4.h"

#include "base/assert.h"
#include "portals/api4/handle.h"

namespace lintel::testing {

SimulatedJob4::SimulatedJob4(const JobOptions4& options)
    : SimulatedProcesses({options.processes, options.network, options.endpoint, options.session,
                          options.users, options.linger, options.real_time}),
      interface_(options.interface),
      lingers_(options.linger > Nanoseconds(0)),
      open_(options.open) {
  for (std::size_t rank = 0; open_ && rank < size(); ++rank) {
    as(rank);
    LINTEL_ASSERT(PtlInit() == PTL_OK);
    LINTEL_ASSERT(PtlNIInit(PTL_IFACE_DEFAULT, interface_, PTL_PID_ANY,
                            options.limits ? &*options.limits : nullptr, &limits_, &ni_) == PTL_OK);
    if (logical() && options.map) LINTEL_ASSERT(set_map(rank) == PTL_OK);
  }
  if (size() > 0) as(0);
}

SimulatedJob4::~SimulatedJob4() { close(); }

void SimulatedJob4::close() {
  for (std::size_t rank = 0; open_ && rank < size(); ++rank) {
    as(rank);
    if (lingers_) drive_by_clock(rank);
    PtlFini();
  }
  SimulatedProcesses::close();
}

ptl_process_t SimulatedJob4::physical_id(std::size_t rank) {
  ptl_process_t id;
  id.phys = {name(rank).nid.value, name(rank).pid.value};
  return id;
}

ptl_process_t SimulatedJob4::anyone() const {
  ptl_process_t any;
  any.phys = {PTL_NID_ANY, PTL_PID_ANY};
  if (logical()) any.rank = PTL_RANK_ANY;
  return any;
}

int SimulatedJob4::set_map(std::size_t rank) {
  as(rank);
  std::vector<ptl_process_t> map;
  for (std::size_t other = 0; other < size(); ++other) map.push_back(physical_id(other));
  return PtlSetMap(ni_, map.size(), map.data());
}

std::vector<ptl_event_t> SimulatedJob4::events(ptl_handle_eq_t eq) {
  std::vector<ptl_event_t> all;
  ptl_event_t event;
  while (true) {
    const int code = PtlEQGet(eq, &event);
    if (code != PTL_OK && code != PTL_EQ_DROPPED) return all;
    all.push_back(event);
  }
}

int SimulatedJob4::status(ptl_sr_index_t reg) const {
  ptl_sr_value_t value = 0;
  LINTEL_ASSERT(PtlNIStatus(ni_, reg, &value) == PTL_OK);
  return value;
}

std::size_t SimulatedJob4::landing(std::size_t rank, ptl_pt_index_t portal) {
  portals::Process& own = process(rank);
  const MutexLock lock(own.lock());
  return own.interface(api4::engine_kind(api4::number_for(interface_)))->portals[portal].active;
}

}  // namespace lintel::testing
