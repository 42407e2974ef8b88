// The two processes of a pair: the client, which is the initiator, and the server, the target.

#include <memory>

#include "peer.h"

namespace lintel::perf {
namespace {

// All parts of the measurement: their metrics are columns, left to right.
TableRow measure(const Measurement& measurement, const PairRun& run) {
  TableRow whole;
  for (const MeasurementPart& part : measurement.parts) {
    TableRow row = part.shape == TrafficShape::kPassive ? measure_passive_target(run, part)
                                                        : measure_timed(run, part);
    row.verified_messages += whole.verified_messages;
    row.metrics.insert(row.metrics.begin(), whole.metrics.begin(), whole.metrics.end());
    whole = std::move(row);
  }
  return whole;
}

void check_limits(const PerfOptions& options, const OperationLimits& limits) {
  if (options.settings.pieces > limits.pieces.most) {
    refuse("--iovec: '{}' is not usable; expected at most {} pieces ({})", options.settings.pieces,
           limits.pieces.most, limits.pieces.name);
  }
  for (const MeasurementPart& part : options.measurement->parts) {
    const auto limit = limits.bytes.find(part.action);
    if (limit != limits.bytes.end()) options.check_sizes(limit->second);
  }
}

// Measures what the client asks for, size by size, until it ends the measurement.
[[noreturn]] void measure_for(const ControlMessage& client, PairEnd& endpoint, PairPeer& peer) {
  const auto asked =
      parse_options(member_of<std::vector<std::string>>(client.body, "arguments", {}));
  if (!asked || asked->measurement == nullptr || asked->measurement->chain) {
    refuse("the client asks for nothing that a server can do; expected a sub-command of a pair");
  }
  for (;;) {
    const auto size = peer.await().at("size").get<std::uint64_t>();
    if (size < 1 || size > kMaxSizeBytes) {
      refuse("the client asks for {} bytes; expected 1 to {}", size, kMaxSizeBytes);
    }
    measure(*asked->measurement, {endpoint.network, peer, asked->settings, size, false});
  }
}

// Returns when the client has ended the measurement. Throws PeerLost if it is lost.
void serve(const ControlMessage& client, PairEnd& endpoint, Seconds deadline) {
  static constexpr Seconds kForever{1e9};
  PairPeer peer(endpoint, client.from, deadline, kForever, run_of(client));
  try {
    try {
      measure_for(client, endpoint, peer);
    } catch (const PeerLost&) {
      throw;
    } catch (const std::exception& error) {
      const bool explained = dynamic_cast<const PerfFailure*>(&error) != nullptr;
      peer.tell(
          "failed",
          {{"error",
            fmt::format("{}{}", explained ? "" : "cannot carry out the request: ", error.what())},
           {"code", static_cast<int>(code_of(error))}});
    }
    for (;;) peer.await();
  } catch (const PeerFinished&) {
  }
}

// What the second process of a pair shows that it is called. Throws PerfFailure if it ends instead,
// or is not ready within the deadline.
ProcessName await_name(ChildProcess& second, const std::atomic<ProcessName>& shown,
                       Seconds deadline) {
  for (const auto limit = after(deadline); Clock::now() < limit;) {
    const ProcessName name = shown;
    if (name.pid != 0) return name;
    const auto end = second.end_within(Seconds(0.001));
    if (!end) continue;
    // It has said why.
    if (!end->by_signal && end->code == static_cast<int>(ExitCode::kUnusable)) refuse("");
    fail(
        "the second process ended with {} {} before it was ready; expected it to open its "
        "interface",
        end->by_signal ? "signal" : "exit code", end->code);
  }
  refuse(
      "the second process did not start within {:g} s; expected it to open its interface "
      "(--deadline)",
      deadline.count());
}

// Measures; tells the server the end unless it is lost.
void measure_with(const PerfOptions& options, ProcessName server, Report& report) {
  auto open = std::make_unique<PairEnd>(PTL_PID_ANY, server, options.initiator_cpu());
  PairEnd& endpoint = *open;
  report.initiator = endpoint.self;
  bool accepted = false;
  const auto end = [&] {
    if (accepted) endpoint.control.send(server, control_message("end"), Seconds(1));
  };
  try {
    const OperationLimits& limits = endpoint.network.timed(options.settings.api).limits();
    check_limits(options, limits);
    report.target = connect_to_server(endpoint.control, server, endpoint.self, options.arguments,
                                      options.deadline);
    accepted = true;
    PairPeer peer(endpoint, server, options.deadline, options.deadline);
    const std::uint64_t most = limits.bytes.at(MeasuredAction::kSwap).most;
    const auto sizes = options.sizes.empty() ? powers_of_two(1, most) : options.sizes;
    report.measure_each(sizes, [&](std::uint64_t size) {
      peer.tell("step", {{"size", size}});
      return measure(*options.measurement, {endpoint.network, peer, options.settings, size, true});
    });
  } catch (const PeerLost&) {
    // Closing it would wait for messages that nobody takes any more; the process ends soon.
    static_cast<void>(open.release());
    throw;
  } catch (const PerfFailure&) {
    end();
    throw;
  }
  end();
}

}  // namespace

ExitCode run_server(const PerfOptions& options, std::atomic<ProcessName>* shown_name) {
  pin_to_cpu(options.target_cpu());
  PairEnd endpoint(options.pid == 0 ? PTL_PID_ANY : options.pid, {PTL_NID_ANY, PTL_PID_ANY},
                   options.target_cpu());
  if (shown_name != nullptr) *shown_name = endpoint.network.name();
  const auto say = [&](const std::string& line) {
    if (shown_name != nullptr) return;
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  const std::string& address = endpoint.self.address;
  say(fmt::format(
      "lintel-perf server at {}{}", address,
      address.starts_with("127.") ? " (this machine only; --bind ADDR for others)" : ""));
  for (ExitCode code = ExitCode::kOk;; code = ExitCode::kOk) {
    try {
      const ControlMessage client = accept_client(endpoint.control, endpoint.self);
      const ProcessDescription who = description_of(client);
      say(fmt::format("client {} on {} begins", who.address, who.host));
      serve(client, endpoint, options.deadline);
      say(fmt::format("client {} has finished", who.address));
    } catch (const PerfFailure& failure) {
      fmt::print(stderr, "lintel-perf: {}\n", failure.what());
      code = failure.code();
    }
    if (options.once) return code;
  }
}

void run_client(const PerfOptions& options) {
  Report report(options);
  auto& shown = shared_with_children<std::atomic<ProcessName>>(ProcessName{});
  std::optional<ChildProcess> second;  // on this machine; it serves once
  ProcessName server;
  if (options.server_address.empty()) {
    // The second process inherits it, and a wrong number is told once.
    pin_to_cpu(options.target_cpu());
    second.emplace(Seconds(3), [&] {
      PerfOptions served = options;
      served.once = true;
      served.pid = 0;
      return exit_code_of([&] { return run_server(served, &shown); });
    });
  } else {
    server = {resolve(options.server_address, options.deadline), options.pid};
    const std::string address = address_towards(server.nid);
    // Unless it is set, also by --bind.
    if (!address.empty()) ::setenv("LINTEL_INTERFACE", address.c_str(), 0);
  }
  pin_to_cpu(options.initiator_cpu());
  if (second) server = await_name(*second, shown, options.deadline);
  report.write_after([&] { measure_with(options, server, report); });
}

}  // namespace lintel::perf
