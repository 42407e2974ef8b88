#include "mpi_layer/mpi/runtime/data_representation.h"

#include <algorithm>
#include <utility>

#include "mpi_layer/mpi/functions/packing_form.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

namespace {

bool packs_for_external(MPI_Comm comm) {
  const CommunicatorRef communicator = find_communicator(comm);
  return communicator && has_external_processes(*communicator->group());
}

}  // namespace

// Kept to the end of the process, because threads may ask until then.
void set_external_processes(std::vector<bool> processes) {
  if (std::ranges::find(processes, true) == processes.end()) return;
  external_processes = new std::vector<bool>(std::move(processes));
  set_packing_form(packs_for_external);
}

bool has_external_processes(const Group& group) {
  return any_external_process() && std::ranges::any_of(group.world_ranks(), is_external_process);
}

}  // namespace lintel::mpi
