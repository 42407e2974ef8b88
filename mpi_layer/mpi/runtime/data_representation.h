#pragma once
// In which format data are exchanged with other processes: as they are in memory here, or as
// external32, which is used in both directions with processes of other jobs.
//
// Set once, before the first message; any thread may read it afterwards. Until it is set, no
// process exchanges external32, and asking costs one look at a pointer. The relation is mutual:
// both processes know that they exchange external32.
// Does not: convert anything. ItemTransfer converts items, MPI_Pack what it packs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi_layer/mpi/functions/external32.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/group.h"

namespace lintel::mpi {

// `processes[n]`: external32 is exchanged with process n, a number of the messenger and rank of the
// world. Processes beyond its end do not exchange it. From then on MPI_Pack also writes external32
// for communicators with such processes.
void set_external_processes(std::vector<bool> processes);

// The argument of set_external_processes(); null until then.
inline const std::vector<bool>* external_processes = nullptr;

inline bool any_external_process() { return external_processes != nullptr; }

// `process` may be kAnySource or kProcNull, for which it is false.
inline bool is_external_process(std::int32_t process) {
  if (!any_external_process() || process < 0) return false;
  const auto number = static_cast<std::size_t>(process);
  return number < external_processes->size() && (*external_processes)[number];
}

// True if a member exchanges external32. The result is the same in all members of a communicator if
// they agree on who exchanges external32.
bool has_external_processes(const Group& group);

// True if items of the type are converted on their way to or from the process.
inline bool is_converted(const Datatype& type, std::int32_t process) {
  return is_external_process(process) && !external_form(type).is_native;
}

}  // namespace lintel::mpi
