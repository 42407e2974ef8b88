#pragma once
// What a launcher leaves in the environment of the processes that it starts.

#include <optional>
#include <string>

namespace lintel::mpi {

struct LaunchVariables {
  std::optional<std::string> pmix_namespace{};  // PMIX_NAMESPACE, with PMIX_RANK: a PMIx server is
                                                // there
  std::optional<std::string> pmix_rank{};
  std::optional<std::string> ompi_size{};   // OMPI_COMM_WORLD_SIZE, beside PMIx: the launcher is
                                            // Open MPI's mpirun, or prterun
  std::optional<std::string> slurm_size{};  // SLURM_STEP_NUM_TASKS: so many processes have been
                                            // started by srun
  std::optional<std::string> pmi_fd{};      // PMI_FD, PMI_RANK, PMI_SIZE: PMI-1 on an inherited
                                            // descriptor
  std::optional<std::string> pmi_rank{};
  std::optional<std::string> pmi_size{};
  std::optional<std::string> pmi_port{};  // PMI_PORT: PMI-1 over TCP, which mpiexec.hydra does on
                                          // request only
};

// Those of this process. A variable that is empty counts as not there.
LaunchVariables read_launch_variables();

}  // namespace lintel::mpi
