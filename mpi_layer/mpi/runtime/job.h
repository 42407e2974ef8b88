#pragma once
// Job: this process among the processes of its job: launcher, world, the engine's process and the messenger between all ranks.
//
// One owner. Open from open_job() to close(); numbers of the messenger are world ranks. Calls of the launcher by one thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/world.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

class Job {
 public:
  // Starts the engine, finds the launcher and all other ranks. Collective over the job; blocks.
  static Outcome<std::unique_ptr<Job>> open();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  const World& world() const { return world_; }
  Messenger& messenger() { return *messenger_; }

  // Ends what open() began, in the reverse order. Blocks. Only the destructor may follow.
  Outcome<> close();
  // Does not return. Any thread, at any time from open() to close().
  void abort(int exit_code, std::string_view text) { launcher_->abort(exit_code, text); }

 private:
  explicit Job(std::unique_ptr<Launcher> launcher) : launcher_(std::move(launcher)) {}
  Outcome<> open_messenger();
  Outcome<> meet();
  Outcome<> compare_limits();

  std::unique_ptr<Launcher> launcher_;
  World world_;
  std::unique_ptr<Messenger> messenger_;
  bool host_started_ = false;
};

}  // namespace lintel::mpi
