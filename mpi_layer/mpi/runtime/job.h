#pragma once
// Job: this process among the processes of its job: launcher, world, and the station with the messenger between all ranks.
//
// One owner. Open from open_job() to close(); numbers of the messenger are world ranks. Calls of the launcher by one thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/world.h"
#include "mpi_layer/station/station.h"

namespace lintel::mpi {

class Job {
 public:
  // Starts the engine, finds the launcher and all other ranks. Collective over the job; blocks.
  static Outcome<std::unique_ptr<Job>> open();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() = default;

  const World& world() const { return world_; }
  Messenger& messenger() { return station_->messenger(); }

  // Ends what open() began, in the reverse order. Blocks. Only the destructor may follow.
  Outcome<> close();
  // Does not return. Any thread, at any time from open() to close().
  void abort(int exit_code, std::string_view text) { launcher_->abort(exit_code, text); }

 private:
  explicit Job(std::unique_ptr<Launcher> launcher) : launcher_(std::move(launcher)) {}
  Outcome<> meet();

  std::unique_ptr<Launcher> launcher_;
  World world_;
  std::unique_ptr<Station> station_;
};

}  // namespace lintel::mpi
