#pragma once
// Finds and opens the launcher that started this process.

#include <memory>

#include "mpi_layer/bootstrap/launch_variables.h"
#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {

// The launcher that `variables` describe: PMIx if its variables are set, else PMI-1, else none,
// which makes a world of one process. Call it once per process, because it takes over resources
// such as PMI_FD. Blocks until the launcher has answered. Fails if the variables are invalid. It
// does not fall back to a world of one process then, because that would run N jobs in place of one
// job of N processes.
Outcome<std::unique_ptr<Launcher>> open_launcher(const LaunchVariables& variables);

}  // namespace lintel::mpi
