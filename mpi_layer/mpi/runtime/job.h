#pragma once
// Job: this process in its job, and in the jobs that IMPI joins to it: the launcher, the world, and
// the station with the messenger between all ranks.
//
// One owner. It is open from open() to close(). Numbers of the messenger are world ranks. One
// thread at a time may call functions that use the launcher.

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
  // Starts the engine, opens the launcher and exchanges addresses with all ranks. Collective over
  // the job; blocks.
  static Outcome<std::unique_ptr<Job>> open();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  const World& world() const { return world_; }
  Messenger& messenger() { return station_->messenger(); }

  // The layout of the IMPI job of which this job is a client; null: it is not a client.
  const impi::JobLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  // The settings with which it joined. REQUIRES: layout() is not null.
  const impi::ClientSettings& client() const { return *client_; }

  // Closes what open() has opened, in the reverse order. Every rank of the world calls it. Blocks.
  // Only the destructor may follow.
  Outcome<> close();
  // Does not return. Any thread, at any time between open() and close().
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
  std::unique_ptr<impi::Bridge> bridge_;  // destroyed after the station, which has its requests:
                                          // see ~Job()
  std::unique_ptr<Station> station_;
};

}  // namespace lintel::mpi
