#pragma once
// Which launcher started this process.

#include <memory>

#include "mpi_layer/bootstrap/launch_variables.h"
#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {

// The launcher that `variables` tell of: PMIx if it is there, else PMI-1, else none: a world of
// one. Call it once in a process: it takes over what the launcher has left, such as PMI_FD. Blocks
// until the launcher has answered. Fails when what the variables say cannot be: it never falls back
// to a world of one then, which would run N jobs in place of one with N processes.
Outcome<std::unique_ptr<Launcher>> open_launcher(const LaunchVariables& variables);

}  // namespace lintel::mpi
