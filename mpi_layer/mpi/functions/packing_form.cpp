#include "mpi_layer/mpi/functions/packing_form.h"

#include <atomic>

namespace lintel::mpi {

namespace {

std::atomic<PackingForm> current_form{nullptr};

}  // namespace

void set_packing_form(PackingForm form) { current_form.store(form); }

bool packs_external32(MPI_Comm comm) {
  const PackingForm form = current_form.load();
  return form != nullptr && form(comm);
}

}  // namespace lintel::mpi
