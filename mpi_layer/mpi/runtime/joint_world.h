#pragma once
// The world of a job that is a client of an IMPI job: entered by its rank 0, who tells the others.

#include <optional>

#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/world.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/impi/sockets/client_settings.h"
#include "mpi_layer/impi/sockets/join.h"

namespace lintel::mpi {

struct JointWorld {
  World world;  // of all jobs: processes of others have no address there but kOutsideNode
  impi::JobLayout layout;
  std::optional<impi::JoinedJob> joined;  // in rank 0 of the job: its connections
};

// Collective over the job, whose own world is `job`; blocks until all clients are there. Fails with
// the same sentence in all ranks when rank 0 finds no way in.
Outcome<JointWorld> enter_joint_world(Launcher& launcher, const World& job,
                                      const impi::ClientSettings& settings);

}  // namespace lintel::mpi
