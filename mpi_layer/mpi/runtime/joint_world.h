#pragma once
// The world of a job that is a client of an IMPI job. Rank 0 joins the IMPI job and tells the other
// ranks.

#include <optional>

#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/world.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/impi/sockets/client_settings.h"
#include "mpi_layer/impi/sockets/join.h"

namespace lintel::mpi {

struct JointWorld {
  World world;  // of all jobs; processes of other jobs are on kOutsideNode
  impi::JobLayout layout;
  std::optional<impi::JoinedJob> joined;  // in rank 0 of the job: the connections
};

// Collective over the job, whose own world is `job`. Blocks until all clients have joined. If rank
// 0 fails to join, it fails with the same sentence in all ranks.
Outcome<JointWorld> enter_joint_world(Launcher& launcher, const World& job,
                                      const impi::ClientSettings& settings);

}  // namespace lintel::mpi
