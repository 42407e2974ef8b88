// Replaces pmix_launcher.cpp in a build without the headers of PMIx.

#include "mpi_layer/bootstrap/pmix_launcher.h"

namespace lintel::mpi {

Outcome<std::unique_ptr<Launcher>> open_pmix_launcher(bool) {
  return Problem{
      "PMIx has started this process (PMIX_NAMESPACE is set), and this Lintel has been built "
      "without PMIx; expected a build with "
      "libpmix-dev "
      "installed, or a start by lintel-run, mpiexec.hydra or srun --mpi=pmi2"};
}

}  // namespace lintel::mpi
