#include "mpi_layer/mpi/runtime/job.h"

#include "mpi_layer/bootstrap/open_launcher.h"
#include "mpi_layer/impi/gateway/bridge.h"
#include "mpi_layer/mpi/runtime/joint_world.h"
#include "portals/engine/node/host_process.h"

namespace lintel::mpi {
namespace {

// Unmatched messages of other jobs, each of which has a header in the engine's list. Each process
// of another job has a share of them. Further messages of that process wait.
constexpr std::uint32_t kOutsideHeaders = 1U << 18;

// At the end only messages of a few bytes are left. A peer that does not accept them in this time
// has failed.
constexpr std::chrono::seconds kEndTimeout(30);

}  // namespace

Job::Job(std::unique_ptr<Launcher> launcher) : launcher_(std::move(launcher)) {}

Outcome<std::unique_ptr<Job>> Job::open() {
  Outcome<std::unique_ptr<Launcher>> launcher = open_launcher(read_launch_variables());
  if (!launcher) return launcher.failure();
  std::unique_ptr<Job> job(new Job(std::move(*launcher)));
  if (const Outcome<> met = job->meet(); !met) return met.failure();
  return job;
}

Outcome<> Job::meet() {
  Outcome<std::optional<impi::ClientSettings>> client = impi::read_client_settings();
  if (!client) return client.failure();
  client_ = std::move(*client);
  MessengerOptions options;
  options.most_processes = launcher_->size();
  if (client_) options.outside_headers = kOutsideHeaders;
  Outcome<std::unique_ptr<Station>> station = Station::open(options);
  if (!station) return station.failure();
  station_ = std::move(*station);
  Outcome<BusinessCard> card = station_->card();
  if (!card) return card.failure();
  Outcome<World> world = open_world(*launcher_, *card);
  if (!world) return world.failure();
  world_ = std::move(*world);
  std::optional<impi::JoinedJob> joined;
  if (client_) {
    Outcome<JointWorld> entered = enter_joint_world(*launcher_, world_, *client_);
    if (!entered) return entered.failure();
    world_ = std::move(entered->world);
    layout_ = std::move(entered->layout);
    joined = std::move(entered->joined);
  }
  if (const Outcome<> added = station_->add(world_); !added) return added.failure();
  // Last, because no process may send to a rank that does not know it yet.
  Outcome<std::vector<std::string>> limits =
      launcher_->exchange("lintel-limits", station_->limits());
  if (!limits) return limits.failure();
  if (const Outcome<> same = compare_limits(*limits); !same) return same.failure();
  if (layout_) {
    const auto broken = [this](const std::string& sentence) {
      abort(1, sentence, AbortCause::kLostProcess);
    };
    Outcome<std::unique_ptr<impi::Bridge>> bridge = impi::Bridge::open(
        *portals::current_process(), messenger(),
        {*layout_, world_.rank, std::move(joined), client_->peer_timeout}, broken);
    if (!bridge) return bridge.failure();
    bridge_ = std::move(*bridge);
  }
  return {};
}

// Waits until everything that this job has sent has left it. Then the agents of all jobs exchange
// FINI.
Outcome<> Job::leave_joint_world() {
  const bool sent = bridge_->finish_sending(kEndTimeout);
  if (const Outcome<> all = launcher_->barrier(); !all) return all.failure();
  const bool ended = bridge_->finish(kEndTimeout);
  bridge_->detach();
  if (sent && ended) return {};
  return Problem{"the processes of other IMPI clients have not said that they end, within " +
                 std::to_string(kEndTimeout.count()) + " s"};
}

Outcome<> Job::close() {
  const Outcome<> left = bridge_ != nullptr ? leave_joint_world() : Outcome<>();
  station_->close();
  const Outcome<> ended = launcher_->finalize();
  return left ? ended : left.failure();
}

Job::~Job() {
  if (bridge_ != nullptr) bridge_->detach();
}

}  // namespace lintel::mpi
