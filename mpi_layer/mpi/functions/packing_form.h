#pragma once
// In which form MPI_Pack writes: this machine's, or external32 where processes of a communicator
// exchange that. Asked of whoever knows communicators.

#include "mpi.h"

namespace lintel::mpi {

// Whether it is external32. The handle may be of any value.
using PackingForm = bool (*)(MPI_Comm comm);

// Until the first call it is this machine's for all. Any thread; not to be changed while others
// call.
void set_packing_form(PackingForm form);

bool packs_external32(MPI_Comm comm);

}  // namespace lintel::mpi
