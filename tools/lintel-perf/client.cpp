#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "child_process.h"
#include "host.h"
#include "numbers.h"
#include "protocol.h"
#include "roles.h"

namespace lintel::perf {
namespace {

// The other process of a pair on one machine: a server that serves once.
class SecondProcess {
 public:
  explicit SecondProcess(const Options& options) : deadline_(options.deadline_seconds) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe failed: {}", std::strerror(errno));
    pipe_ = ends[0];
    process_.emplace([&] {
      Options server = options;
      server.role = Role::kServer;
      server.once = true;
      server.pid = 0;
      server.announce_fd = ends[1];
      ::close(ends[0]);
      return exit_code_of([&] { return run_server(server); });
    });
    ::close(ends[1]);
  }
  ~SecondProcess() {
    ::close(pipe_);
    process_->ends_within(Seconds(3));
  }
  SecondProcess(const SecondProcess&) = delete;
  SecondProcess& operator=(const SecondProcess&) = delete;

  // Where it can be reached. Throws Failure if it ends instead, or says nothing within the
  // deadline.
  ptl_process_id_t address() {
    const auto end = after(deadline_);
    pollfd wait{pipe_, POLLIN, 0};
    int ready = 0;
    do {
      ready = ::poll(&wait, 1, static_cast<int>(left_until(end).count()));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) {
      refuse(
          "the second process did not start within {:g} s; expected it to open its interface "
          "(--deadline)",
          deadline_.count());
    }
    ptl_process_id_t id{};  // in a pipe so few bytes are not torn
    if (::read(pipe_, &id, sizeof id) != sizeof id) report_early_end();
    return id;
  }

 private:
  [[noreturn]] void report_early_end() {
    int status = 0;
    ::waitpid(process_->id(), &status, 0);
    const bool signalled = WIFSIGNALED(status);
    const int code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    // It has said why.
    if (!signalled && code == static_cast<int>(ExitCode::kUnusable)) {
      throw Failure(ExitCode::kUnusable, "");
    }
    fail(
        "the second process ended with {} {} before it was ready; expected it to open its "
        "interface",
        signalled ? "signal" : "exit code", code);
  }

  Seconds deadline_;
  int pipe_ = -1;
  std::optional<ChildProcess> process_;
};

void check_limits(const Options& options, const std::vector<std::uint64_t>& sizes,
                  const Limits& limits) {
  if (options.settings.pieces > limits.pieces.most) {
    refuse("--iovec: '{}' is not usable; expected at most {} pieces ({})", options.settings.pieces,
           limits.pieces.most, limits.pieces.name);
  }
  const Measurement& measurement = *options.measurement;
  if (measurement.limit == nullptr) return;
  const Limit& limit = limits.*measurement.limit;
  for (const std::uint64_t size : sizes) {
    if (size <= limit.most) continue;
    refuse("--sizes: '{}' is not usable with {}; expected at most {} bytes ({})", size,
           measurement.name, limit.most, limit.name);
  }
}

// Everything from the connection on. The interface dies with it, before the second process is
// waited for.
class Client {
 public:
  Client(const Options& options, Report& report, ptl_process_id_t server)
      : options_(options),
        report_(report),
        network_(PTL_PID_ANY),
        control_(network_.handle()),
        conversation_(network_, control_, server, Seconds(options.deadline_seconds)) {
    network_.admit(server);
    accept_probes(network_.handle());
    report_.initiator = describe_self(network_, options.cpus.empty() ? -1 : options.cpus.front());
  }

  // Measures; says bye unless the server is lost.
  void run() {
    try {
      measure_all();
    } catch (const PeerLost&) {
      network_.abandon();
      throw;
    } catch (const Failure&) {
      if (greeted_) conversation_.bye();
      throw;
    }
    conversation_.bye();
  }

 private:
  void measure_all() {
    const Measurement& measurement = *options_.measurement;
    const Limits& limits = network_.timed(options_.settings.api).limits();
    auto sizes = options_.sizes.empty() ? measurement.default_sizes : options_.sizes;
    if (sizes.empty()) sizes = powers_of_two(1, limits.swap.most);
    check_limits(options_, sizes, limits);
    report_.target = greet_server(control_, conversation_.peer().id(), report_.initiator,
                                  conversation_.peer().deadline());
    greeted_ = true;
    report_.measure_each(sizes, [&](std::uint64_t size) {
      Row whole;
      for (const Measure part : measurement.parts) {
        Row row = part(conversation_, options_.settings, size);
        row.verified_messages += whole.verified_messages;
        row.metrics.insert(row.metrics.begin(), whole.metrics.begin(), whole.metrics.end());
        whole = std::move(row);
      }
      return whole;
    });
  }

  const Options& options_;
  Report& report_;
  Interface network_;
  ControlChannel control_;
  Conversation conversation_;
  bool greeted_ = false;
};

}  // namespace

void run_client(const Options& options) {
  Report report(options);
  const std::vector<int>& cpus = options.cpus;
  std::optional<SecondProcess> second;
  ptl_process_id_t server{};
  if (options.role == Role::kLocal) {
    // The second process inherits it, and a wrong number is told once.
    if (!cpus.empty()) pin_to_cpu(cpus.back());
    second.emplace(options);
  } else {
    server = {resolve(options.server_address, Seconds(options.deadline_seconds)),
              static_cast<ptl_pid_t>(options.pid)};
    if (options.bind.empty() && std::getenv("LINTEL_INTERFACE") == nullptr) {
      const std::string address = address_towards(server.nid);
      if (!address.empty()) set_library_variable("LINTEL_INTERFACE", address);
    }
  }
  if (!cpus.empty()) pin_to_cpu(cpus.front());
  if (second) server = second->address();
  Client client(options, report, server);
  report.write_after([&] { client.run(); });
}

}  // namespace lintel::perf
