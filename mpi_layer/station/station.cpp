#include "mpi_layer/station/station.h"

#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/mutex.h"
#include "mpi_layer/p2p/gateway.h"
#include "portals/engine/node/host_process.h"
#include "portals/engine/wire/wire_format.h"

namespace lintel::mpi {

Outcome<std::unique_ptr<Station>> Station::open(MessengerOptions options) {
  std::unique_ptr<Station> station(new Station);
  if (const Outcome<> started = station->start(options); !started) return started.failure();
  return station;
}

Outcome<> Station::start(MessengerOptions options) {
  host_started_ = portals::start_host();
  if (!host_started_)
    return Problem{
        "the settings in the environment are not accepted; expected what doc/configuration.md "
        "says"};
  const Config& config = portals::host_config();
  options.unexpected_bytes = config.mpi_unexpected_bytes;
  options.unexpected_headers = static_cast<std::uint32_t>(config.max_unexpected);
  options.contact_after = config.peer_timeout / 4;
  std::string explanation;
  messenger_ = Messenger::open(*portals::current_process(), options, explanation);
  if (messenger_ == nullptr) return Problem{explanation};
  return {};
}

Station::~Station() {
  messenger_.reset();
  if (host_started_) portals::stop_host();
}

Outcome<BusinessCard> Station::card() const {
  portals::Process& process = *portals::current_process();
  std::string provider;
  {
    const MutexLock lock(process.lock());
    provider = process.network_name();
  }
  return new_card(LINTEL_VERSION_TEXT, portals::wire::kMessageVersion, std::move(provider),
                  messenger_->self());
}

std::string Station::limits() const {
  const Config& config = portals::host_config();
  return "LINTEL_MPI_UNEXPECTED=" + std::to_string(config.mpi_unexpected_bytes) +
         " LINTEL_MAX_UNEXPECTED=" + std::to_string(config.max_unexpected) +
         " LINTEL_EAGER_LIMIT=" + std::to_string(messenger_->eager_limit());
}

Outcome<> Station::add(const World& world) {
  const auto processes = static_cast<unsigned>(std::ranges::count(world.on_this_node, true));
  const auto processors = static_cast<unsigned>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
  if (processes > processors) {
    portals::Process& process = *portals::current_process();
    const MutexLock lock(process.lock());
    process.progress().share_processors((processes + processors - 1) / processors);
  }
  // From here on nobody but the processes of the job reaches this one. Alone it has no peers, and
  // may talk to others by Portals.
  if (world.size() > 1) portals::give_job_secret(std::as_bytes(std::span(world.secret.bytes)));
  for (const ProcessId process : world.processes) {
    const bool outside = process.nid == kOutsideNode;
    if ((outside ? messenger_->add_outside() : messenger_->add_peer(process)) != CallError::kNone) {
      return Problem{
          "the address " + text_of(process) +
          " of a rank is not accepted; expected one that the provider of this process reaches"};
    }
  }
  return {};
}

Outcome<> compare_limits(const std::vector<std::string>& limits) {
  for (std::size_t rank = 1; rank < limits.size(); ++rank) {
    if (limits[rank] != limits.front()) {
      return Problem{"rank " + std::to_string(rank) + " has " + limits[rank] + ", rank 0 has " +
                     limits.front() + "; expected the same in all processes of a job"};
    }
  }
  return {};
}

}  // namespace lintel::mpi
