#pragma once
// The variables that launchers set in the environment of the processes that they start.

#include <optional>
#include <string>

namespace lintel::mpi {

struct LaunchVariables {
  // PMIX_NAMESPACE and PMIX_RANK: there is a PMIx server.
  std::optional<std::string> pmix_namespace{};
  std::optional<std::string> pmix_rank{};
  // OMPI_COMM_WORLD_SIZE, together with PMIx: the launcher is mpirun of Open MPI, or prterun.
  std::optional<std::string> ompi_size{};
  // SLURM_STEP_NUM_TASKS: the number of processes that srun has started.
  std::optional<std::string> slurm_size{};
  // PMI_FD, PMI_RANK, PMI_SIZE: PMI-1 on an inherited descriptor.
  std::optional<std::string> pmi_fd{};
  std::optional<std::string> pmi_rank{};
  std::optional<std::string> pmi_size{};
  // PMI_PORT: PMI-1 over TCP. mpiexec.hydra uses it on request only.
  std::optional<std::string> pmi_port{};
};

// The variables of this process. An empty variable counts as not set.
LaunchVariables read_launch_variables();

}  // namespace lintel::mpi
