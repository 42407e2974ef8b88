#pragma once
// Job: this process among the processes of its job, and of those that IMPI joins to it: launcher,
// world, and the station with the messenger between all ranks.
//
// One owner. Open from open_job() to close(); numbers of the messenger are world ranks. Calls of
// the launcher by one thread at a time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/world.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/impi/sockets/client_settings.h"
#include "mpi_layer/station/station.h"

namespace lintel::mpi {

namespace impi {
class Bridge;
}  // namespace impi

class Job {
 public:
  // Starts the engine, finds the launcher and all other ranks. Collective over the job; blocks.
  static Outcome<std::unique_ptr<Job>> open();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  const World& world() const { return world_; }
  Messenger& messenger() { return station_->messenger(); }

  // Of an IMPI job that this one is a client of; null: it is none.
  const impi::JobLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  // How that was asked for. REQUIRES: layout() is not null.
  const impi::ClientSettings& client() const { return *client_; }

  // Ends what open() began, in the reverse order. All ranks of the world have come as far. Blocks.
  // Only the destructor may follow.
  Outcome<> close();
  // Does not return. Any thread, at any time from open() to close().
  void abort(int exit_code, std::string_view text, AbortCause cause) {
    launcher_->abort(exit_code, text, cause);
  }

 private:
  explicit Job(std::unique_ptr<Launcher> launcher);
  Outcome<> meet();
  Outcome<> leave_joint_world();

  std::unique_ptr<Launcher> launcher_;
  World world_;
  std::optional<impi::ClientSettings> client_;
  std::optional<impi::JobLayout> layout_;
  std::unique_ptr<impi::Bridge> bridge_;  // after the station, which has what it started: see
                                          // ~Job()
  std::unique_ptr<Station> station_;
};

}  // namespace lintel::mpi
