#include "bench/raw/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "bench/raw/peer_process.h"
#include "bench/raw/raw_endpoint.h"
#include "bench/raw/workload.h"

namespace lintel::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Endpoint and control connection of one process, connected to those of the other.
class RawConnection {
 public:
  // Gives up when nothing completes at this end for `timeout`.
  RawConnection(const RawOptions& options, const std::string& address, ControlSocket& channel,
                Clock::duration timeout)
      : channel_(channel),
        endpoint_(
            options.provider, address, largest_size(options), receives_for(options.window),
            [this, timeout](Clock::duration idle) {
              channel_.check_alive();
              if (idle > timeout) {
                throw FabricError(fmt::format("nothing completed for 60 seconds in {} at {} bytes.",
                                              name_of(current_.mode), current_.size_bytes));
              }
            }) {
    const Contact mine = endpoint_.contact();
    std::string hello(2 * sizeof(std::uint64_t), '\0');
    std::memcpy(hello.data(), &mine.key, sizeof mine.key);
    std::memcpy(hello.data() + sizeof mine.key, &mine.remote_base, sizeof mine.remote_base);
    channel_.send(hello + mine.address);

    const std::string reply = channel_.receive();
    if (reply.size() <= hello.size())
      throw std::runtime_error("the other process sent no address.");
    Contact peer;
    std::memcpy(&peer.key, reply.data(), sizeof peer.key);
    std::memcpy(&peer.remote_base, reply.data() + sizeof peer.key, sizeof peer.remote_base);
    peer.address = reply.substr(hello.size());
    endpoint_.connect(peer);
  }

  RawEndpoint& endpoint() { return endpoint_; }

  // Returns when both processes have called it, before and after each run of `workload`. Keeps
  // polling, because the other may still need this end's progress.
  void meet(const Workload& workload) {
    current_ = workload;
    channel_.send("here");
    while (!channel_.receive_if_any()) endpoint_.poll();
  }

 private:
  ControlSocket& channel_;
  Workload current_;  // for the error message
  RawEndpoint endpoint_;
};

// Calls `repeat(workload, iterations)` for each repeat of each size of each mode. The same in both
// processes.
template <class Repeat>
void for_each_repeat(const RawOptions& options, Repeat repeat) {
  for (const Mode mode : options.modes) {
    for (const std::size_t size : sizes_of(options, mode)) {
      const Workload workload{mode, size, options.window};
      for (std::uint32_t i = 0; i < options.repeats; ++i)
        repeat(workload, iterations_of(options, mode, size));
    }
  }
}

// Fewer for large messages, where two hundred would take longer than the run.
std::uint64_t warm_up_of(const RawOptions& options, std::uint64_t iterations) {
  return std::min(options.warm_up, iterations);
}

RawMeasurement& measurement_of(RawSession& session, const Workload& workload,
                               std::uint64_t iterations, std::uint32_t repeats) {
  if (session.measurements.empty() || session.measurements.back().seconds.size() == repeats) {
    session.measurements.push_back({workload.mode, workload.size_bytes, iterations, {}, {}});
  }
  return session.measurements.back();
}

}  // namespace

RawSession run_initiator(const RawOptions& options, ControlSocket& target) {
  pin_to(options.cpus.first);
  RawConnection link(options, options.addresses.first, target, std::chrono::seconds(60));
  RawSession session{link.endpoint().info().fabric_attr->prov_name,
                     link.endpoint().info().tx_attr->inject_size,
                     {}};
  std::vector<std::uint32_t> ignored;
  for_each_repeat(options, [&](const Workload& workload, std::uint64_t iterations) {
    RawMeasurement& measurement = measurement_of(session, workload, iterations, options.repeats);
    if (workload.mode == Mode::kPingPong)
      measurement.round_trips_ns.reserve(iterations * options.repeats);
    ignored.reserve(options.warm_up);
    link.meet(workload);
    initiate(link.endpoint(), workload, warm_up_of(options, iterations), ignored);
    ignored.clear();
    const auto start = Clock::now();
    initiate(link.endpoint(), workload, iterations, measurement.round_trips_ns);
    measurement.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    link.meet(workload);
  });
  for (RawMeasurement& measurement : session.measurements)
    std::sort(measurement.round_trips_ns.begin(), measurement.round_trips_ns.end());
  return session;
}

void run_target(const RawOptions& options, ControlSocket& initiator) {
  enter_namespace(options.target_namespace);
  pin_to(options.cpus.second);
  RawConnection link(
      options, options.addresses.second, initiator,
      Clock::duration::max());  // a remote read has no completion here; the initiator decides
  for_each_repeat(options, [&](const Workload& workload, std::uint64_t iterations) {
    link.meet(workload);
    serve(link.endpoint(), workload, warm_up_of(options, iterations));
    serve(link.endpoint(), workload, iterations);
    link.meet(workload);
  });
}

}  // namespace lintel::bench
