#pragma once
// In which form data travel between this process and others: as they lie in memory here, or in
// external32, which processes of other jobs are sent and send.
//
// Set once, before the first message, and read by any thread from then on. Until it is set nobody
// exchanges external32, and what that costs is one look at a pointer. The relation is mutual: who
// sends this process external32 is sent it too, and knows it. Does not: convert anything.
// ItemTransfer does that for items, MPI_Pack for what it is asked to pack.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi_layer/mpi/functions/external32.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/group.h"

namespace lintel::mpi {

// `processes[n]`: external32 is exchanged with process n, a number of the messenger and rank of the
// world. Those behind its end do not. Also from then on MPI_Pack writes external32 for
// communicators that have such processes.
void set_external_processes(std::vector<bool> processes);

// Those of set_external_processes(); null until then.
inline const std::vector<bool>* external_processes = nullptr;

inline bool any_external_process() { return external_processes != nullptr; }

// `process` may be kAnySource or kProcNull, which are none.
inline bool is_external_process(std::int32_t process) {
  if (!any_external_process() || process < 0) return false;
  const auto number = static_cast<std::size_t>(process);
  return number < external_processes->size() && (*external_processes)[number];
}

// Whether some member is one. In all members of a communicator alike, if its processes agree about
// who exchanges what.
bool has_external_processes(const Group& group);

// Whether items of the type have other bytes on their way to or from a process than here.
inline bool is_converted(const Datatype& type, std::int32_t process) {
  return is_external_process(process) && !external_form(type).is_native;
}

}  // namespace lintel::mpi
