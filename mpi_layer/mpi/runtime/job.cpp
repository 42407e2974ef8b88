#include "mpi_layer/mpi/runtime/job.h"

#include "mpi_layer/bootstrap/open_launcher.h"

namespace lintel::mpi {

Outcome<std::unique_ptr<Job>> Job::open() {
  Outcome<std::unique_ptr<Launcher>> launcher = open_launcher(read_launch_variables());
  if (!launcher) return launcher.failure();
  std::unique_ptr<Job> job(new Job(std::move(*launcher)));
  if (const Outcome<> met = job->meet(); !met) return met.failure();
  return job;
}

Outcome<> Job::meet() {
  Options options;
  options.most_processes = launcher_->size();
  Outcome<std::unique_ptr<Station>> station = Station::open(options);
  if (!station) return station.failure();
  station_ = std::move(*station);
  Outcome<BusinessCard> card = station_->card();
  if (!card) return card.failure();
  Outcome<World> world = open_world(*launcher_, *card);
  if (!world) return world.failure();
  world_ = std::move(*world);
  if (const Outcome<> added = station_->add(world_); !added) return added.failure();
  // Last: nobody sends to a rank that does not know the sender yet.
  Outcome<std::vector<std::string>> limits = launcher_->exchange("lintel-limits", station_->limits());
  if (!limits) return limits.failure();
  return compare_limits(*limits);
}

Outcome<> Job::close() {
  station_->close();
  return launcher_->finalize();
}

}  // namespace lintel::mpi
