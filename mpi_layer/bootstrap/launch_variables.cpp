#include "mpi_layer/bootstrap/launch_variables.h"

#include "base/environment.h"

namespace lintel::mpi {

LaunchVariables read_launch_variables() {
  return {.pmix_namespace = environment_variable("PMIX_NAMESPACE"),
          .pmix_rank = environment_variable("PMIX_RANK"),
          .ompi_size = environment_variable("OMPI_COMM_WORLD_SIZE"),
          .slurm_size = environment_variable("SLURM_STEP_NUM_TASKS"),
          .pmi_fd = environment_variable("PMI_FD"),
          .pmi_rank = environment_variable("PMI_RANK"),
          .pmi_size = environment_variable("PMI_SIZE"),
          .pmi_port = environment_variable("PMI_PORT")};
}

}  // namespace lintel::mpi
