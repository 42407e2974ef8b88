#pragma once
// The format that MPI_Pack writes: that of this machine, or external32 if processes of the
// communicator exchange external32. A function of the layer that knows communicators decides.

#include "mpi.h"

namespace lintel::mpi {

// True: external32. The handle may have any value.
using PackingForm = bool (*)(MPI_Comm comm);

// Until the first call, the format is always that of this machine. Any thread, but not while other
// threads call MPI.
void set_packing_form(PackingForm form);

bool packs_external32(MPI_Comm comm);

}  // namespace lintel::mpi
