#pragma once
// PMIx as the launcher: Debian's mpirun, prterun, srun --mpi=pmix.

#include <memory>

#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {

// Loads libpmix.so.2, and greets the server that its own variables in the environment tell of. Call
// it once in a process. Fails when the library is not there, the server does not answer, or this
// build has been made without the headers of PMIx. `job_ends_with_process`: the launcher ends the
// job when a process ends with another exit code than 0 (mpirun, prterun), so abort() need not ask
// for it. It does not then: asked by PMIx_Abort, mpirun of Open MPI 4.1.4 hangs in one run of four.
Outcome<std::unique_ptr<Launcher>> open_pmix_launcher(bool job_ends_with_process);

}  // namespace lintel::mpi
