#include "server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "control_channel.h"
#include "host.h"
#include "interface.h"
#include "peer_probe.h"
#include "portals_call.h"
#include "rendezvous.h"
#include "target_service.h"
#include "timed_interfaces.h"

namespace lintel::perf {
namespace {

using Seconds = std::chrono::duration<double>;

// Tells the parent process of a local pair where to find this one.
void announce(int fd, ptl_process_id_t id) {
  const std::string line = fmt::format("{} {}\n", id.nid, id.pid);
  if (::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw Failure(ExitCode::kFailed, "cannot tell the parent process who this is");
  }
  ::close(fd);
}

class Server {
 public:
  explicit Server(const Options& options)
      : options_(options),
        network_(options.pid == 0 ? PTL_PID_ANY : static_cast<ptl_pid_t>(options.pid)),
        timed_(network_),
        control_(network_.handle()),
        self_(describe_self(network_, options.cpus.empty() ? -1 : options.cpus.back())) {
    network_.admit({PTL_NID_ANY, PTL_PID_ANY});
    accept_probes(network_.handle());
  }

  ExitCode run() {
    if (options_.announce_fd >= 0) {
      announce(options_.announce_fd, network_.id());
    } else {
      say("lintel-perf server at {}{}", self_.address,
          dotted(network_.id().nid).starts_with("127.") ? " (this machine only; --bind ADDR for others)" : "");
    }
    for (;;) {
      const ExitCode code = serve_one();
      if (options_.once) return code;
    }
  }

 private:
  ExitCode serve_one() {
    static constexpr Seconds kForever{86400.0 * 365};
    try {
      const auto guest = await_client(control_, self_, kForever);
      if (!guest) return ExitCode::kOk;
      say("client {} on {} begins", guest->description.address, guest->description.host);
      TargetService(network_, timed_, control_, guest->id, Seconds(options_.deadline_seconds)).serve();
      say("client {} has finished", guest->description.address);
      return ExitCode::kOk;
    } catch (const Failure& failure) {
      fmt::print(stderr, "lintel-perf: {}\n", failure.what());
      return failure.code();
    }
  }

  template <class... Arguments>
  void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (options_.announce_fd >= 0) return;
    fmt::print(format, std::forward<Arguments>(arguments)...);
    fmt::print("\n");
    std::fflush(stdout);
  }

  const Options& options_;
  Interface network_;
  TimedInterfaces timed_;
  ControlChannel control_;
  ProcessDescription self_;
};

}  // namespace

ExitCode run_server(const Options& options) {
  if (!options.cpus.empty()) pin_to_cpu(options.cpus.back());
  return Server(options).run();
}

}  // namespace lintel::perf
