#pragma once
// PMIx as the launcher: Debian's mpirun, prterun, srun --mpi=pmix.

#include <memory>

#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {

// Loads libpmix.so.2 and connects to the server that its environment variables name. Call it once
// per process. Fails if the library is missing, if the server does not answer, or if this build was
// made without the headers of PMIx. `job_ends_with_process`: the launcher ends the job when a
// process ends with another exit code than 0 (mpirun, prterun). Then abort() does not call
// PMIx_Abort, because with it mpirun of Open MPI 4.1.4 hangs in one run of four.
Outcome<std::unique_ptr<Launcher>> open_pmix_launcher(bool job_ends_with_process);

}  // namespace lintel::mpi
