#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "host.h"
#include "protocol.h"
#include "roles.h"
#include "target_service.h"

namespace lintel::perf {
namespace {

class Server {
 public:
  explicit Server(const Options& options)
      : options_(options),
        network_(options.pid == 0 ? PTL_PID_ANY : static_cast<ptl_pid_t>(options.pid)),
        control_(network_.handle()),
        self_(describe_self(network_, options.cpus.empty() ? -1 : options.cpus.back())) {
    network_.admit({PTL_NID_ANY, PTL_PID_ANY});
    accept_probes(network_.handle());
  }

  ExitCode run() {
    if (options_.announce_fd >= 0) {
      announce();
    } else {
      say("lintel-perf server at {}{}", self_.address,
          dotted(network_.id().nid).starts_with("127.")
              ? " (this machine only; --bind ADDR for others)"
              : "");
    }
    for (;;) {
      const ExitCode code = serve_one();
      if (options_.once) return code;
    }
  }

 private:
  // Tells the parent process of a local pair where to find this one.
  void announce() const {
    const ptl_process_id_t id = network_.id();
    if (::write(options_.announce_fd, &id, sizeof id) != sizeof id) {
      fail("cannot tell the parent process who this is");
    }
    ::close(options_.announce_fd);
  }

  ExitCode serve_one() {
    try {
      const auto [id, description] = await_client(control_, self_);
      say("client {} on {} begins", description.address, description.host);
      TargetService(network_, control_, id, Seconds(options_.deadline_seconds)).serve();
      say("client {} has finished", description.address);
      return ExitCode::kOk;
    } catch (const Failure& failure) {
      fmt::print(stderr, "lintel-perf: {}\n", failure.what());
      return failure.code();
    }
  }

  template <class... Arguments>
  void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    if (options_.announce_fd >= 0) return;
    fmt::print("{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
    std::fflush(stdout);
  }

  const Options& options_;
  Interface network_;
  ControlChannel control_;
  ProcessDescription self_;
};

}  // namespace

ExitCode run_server(const Options& options) {
  if (!options.cpus.empty()) pin_to_cpu(options.cpus.back());
  return Server(options).run();
}

}  // namespace lintel::perf
