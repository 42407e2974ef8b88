#include "mpi_layer/mpi/runtime/job.h"

#include "base/mutex.h"
#include "mpi_layer/bootstrap/node_name.h"
#include "mpi_layer/bootstrap/open_launcher.h"
#include "portals/engine/host_process.h"
#include "portals/engine/wire_format.h"

namespace lintel::mpi {

namespace {

Outcome<BusinessCard> own_card(portals::Process& process, ProcessId self) {
  Outcome<JobSecret> secret = random_secret();
  if (!secret) return secret.failure();
  BusinessCard card;
  card.lintel_version = LINTEL_VERSION_TEXT;
  card.wire_version = portals::wire::kMessageVersion;
  card.id = self;
  card.node = node_name();
  card.secret_part = *secret;
  const MutexLock lock(process.lock());
  card.provider = process.endpoint().transport().attributes().name;
  return card;
}

}  // namespace

Outcome<std::unique_ptr<Job>> Job::open() {
  Outcome<std::unique_ptr<Launcher>> launcher = open_launcher(read_launch_variables());
  if (!launcher) return launcher.failure();
  std::unique_ptr<Job> job(new Job(std::move(*launcher)));
  if (const Outcome<> opened = job->open_messenger(); !opened) return opened.failure();
  if (const Outcome<> met = job->meet(); !met) return met.failure();
  return job;
}

Outcome<> Job::open_messenger() {
  host_started_ = portals::start_host();
  if (!host_started_) return Problem{"the settings in the environment are not accepted; expected what doc/configuration.md says"};
  const Config& config = portals::host_config();
  Options options;
  options.most_processes = launcher_->size();
  options.unexpected_bytes = config.mpi_unexpected_bytes;
  options.unexpected_headers = static_cast<std::uint32_t>(config.max_unexpected);
  std::string explanation;
  messenger_ = Messenger::open(*portals::current_process(), options, explanation);
  if (messenger_ == nullptr) return Problem{explanation};
  return {};
}

Outcome<> Job::meet() {
  Outcome<BusinessCard> card = own_card(*portals::current_process(), messenger_->self());
  if (!card) return card.failure();
  Outcome<World> world = open_world(*launcher_, *card);
  if (!world) return world.failure();
  world_ = std::move(*world);
  for (const ProcessId process : world_.processes) {
    if (messenger_->add_peer(process) != Refusal::kNone) {
      return Problem{"the address " + text_of(process) + " of a rank is not accepted; expected one that provider " + card->provider +
                     " reaches"};
    }
  }
  // Last: nobody sends to a rank that does not know the sender yet.
  return compare_limits();
}

// Credit is derived from them at both ends of a message.
Outcome<> Job::compare_limits() {
  const Config& config = portals::host_config();
  const std::string own = "LINTEL_MPI_UNEXPECTED=" + std::to_string(config.mpi_unexpected_bytes) +
                          " LINTEL_MAX_UNEXPECTED=" + std::to_string(config.max_unexpected) +
                          " LINTEL_EAGER_LIMIT=" + std::to_string(messenger_->eager_limit());
  Outcome<std::vector<std::string>> limits = launcher_->exchange("lintel-limits", own);
  if (!limits) return limits.failure();
  for (std::size_t rank = 1; rank < limits->size(); ++rank) {
    const std::string& other = limits.value()[rank];
    if (other != limits->front()) {
      return Problem{"rank " + std::to_string(rank) + " has " + other + ", rank 0 has " + limits->front() +
                     "; expected the same in all processes of a job"};
    }
  }
  return {};
}

Outcome<> Job::close() {
  messenger_->close();
  messenger_.reset();
  return launcher_->finalize();
}

Job::~Job() {
  messenger_.reset();
  if (host_started_) portals::stop_host();
}

}  // namespace lintel::mpi
