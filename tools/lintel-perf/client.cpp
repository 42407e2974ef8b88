#include "client.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "control_channel.h"
#include "host.h"
#include "interface.h"
#include "numbers.h"
#include "peer_probe.h"
#include "portals_call.h"
#include "progress.h"
#include "rendezvous.h"
#include "report_files.h"
#include "run_description.h"
#include "second_process.h"
#include "session.h"
#include "table.h"
#include "timed_interfaces.h"

namespace lintel::perf {
namespace {

void check_limits(const Options& options, const std::vector<std::uint64_t>& sizes, const Limits& limits) {
  if (options.settings.pieces > limits.pieces.most) {
    throw Failure(ExitCode::kUnusable, fmt::format("--iovec: '{}' is not usable; expected at most {} pieces ({})", options.settings.pieces,
                                                   limits.pieces.most, limits.pieces.name));
  }
  const Measurement& measurement = *options.measurement;
  for (const std::uint64_t size : sizes) {
    if (measurement.limit != nullptr && size > (limits.*measurement.limit).most) {
      const Limit& limit = limits.*measurement.limit;
      throw Failure(ExitCode::kUnusable, fmt::format("--sizes: '{}' is not usable with {}; expected at most {} bytes ({})", size,
                                                     measurement.name, limit.most, limit.name));
    }
  }
}

Row measure(const Measurement& measurement, Session& session, const Settings& settings, std::uint64_t size) {
  Row whole;
  for (const Measure part : measurement.parts) {
    Row row = part(session, settings, size);
    row.verified_messages += whole.verified_messages;
    row.metrics.insert(row.metrics.begin(), std::make_move_iterator(whole.metrics.begin()), std::make_move_iterator(whole.metrics.end()));
    whole = std::move(row);
  }
  return whole;
}

// Everything from the connection on. The interface dies with it, before the second process is waited for.
class Client {
 public:
  Client(const Options& options, ptl_process_id_t server)
      : options_(options),
        network_(PTL_PID_ANY),
        timed_(network_),
        control_(network_.handle()),
        server_(server),
        session_(network_, timed_, control_, server, std::chrono::duration<double>(options.deadline_seconds)) {
    network_.admit(server);
    accept_probes(network_.handle());
    run_.measurement = options.measurement;
    run_.settings = options.settings;
    run_.units = options.units;
    run_.provider = provider_asked_for();
    run_.initiator = describe_self(network_, options.cpus.empty() ? -1 : options.cpus.front());
  }

  // Measures and reports; throws what ended the measuring, after the report of what was done until then.
  void run() {
    try {
      measure_all();
    } catch (const PeerLost& lost) {
      write_reports(lost.what());
      throw;
    } catch (const Failure& failure) {
      if (greeted_) session_.bye();
      write_reports(failure.what());
      throw;
    }
    session_.bye();
    write_reports("");
  }

  // See Interface::abandon().
  void abandon() {
    timed_.abandon();
    network_.abandon();
  }

 private:
  void write_reports(const std::string& error) {
    if (!options_.json_file.empty()) write_report(options_.json_file, json_report(run_, rows_, error).dump(2) + "\n");
    if (!options_.csv_file.empty()) write_report(options_.csv_file, csv_report(run_, rows_));
  }

  void measure_all() {
    std::vector<std::uint64_t> sizes = options_.sizes.empty() ? options_.measurement->default_sizes : options_.sizes;
    const Limits& limits = timed_.of(options_.settings.api).limits();
    if (sizes.empty()) sizes = powers_of_two(1, limits.swap.most);
    check_limits(options_, sizes, limits);
    run_.target = greet_server(control_, server_, run_.initiator, std::chrono::duration<double>(options_.deadline_seconds));
    greeted_ = true;
    const bool stdout_taken = options_.json_file == "-" || options_.csv_file == "-";
    Table table(stdout_taken ? stderr : stdout, run_, options_.show_percentiles);
    Progress progress(std::string_view(options_.measurement->name) != "quick", sizes.size());
    table.header();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      progress.size(i, sizes[i]);
      Row row = measure(*options_.measurement, session_, options_.settings, sizes[i]);
      progress.clear();
      table.row(row);
      rows_.push_back(std::move(row));
    }
  }

  const Options& options_;
  Interface network_;
  TimedInterfaces timed_;
  ControlChannel control_;
  ptl_process_id_t server_;
  Session session_;
  bool greeted_ = false;
  RunDescription run_;
  std::vector<Row> rows_;
};

}  // namespace

void run_client(const Options& options) {
  claim_report("--json", options.json_file);
  claim_report("--csv", options.csv_file);
  std::unique_ptr<SecondProcess> second;
  ptl_process_id_t server{};
  if (options.role == Role::kLocal) {
    if (!options.cpus.empty()) pin_to_cpu(options.cpus.back());  // the second process inherits it, and a wrong number is told once
    second = std::make_unique<SecondProcess>(options);
  } else {
    server = {resolve(options.server_address, std::chrono::duration<double>(options.deadline_seconds)),
              static_cast<ptl_pid_t>(options.pid)};
    if (options.bind.empty() && std::getenv("LINTEL_INTERFACE") == nullptr) {
      if (const auto address = address_towards(server.nid)) set_library_variable("LINTEL_INTERFACE", *address);
    }
  }
  if (!options.cpus.empty()) pin_to_cpu(options.cpus.front());
  if (second) server = second->address();
  Client client(options, server);
  try {
    client.run();
  } catch (const PeerLost&) {
    client.abandon();
    throw;
  }
}

}  // namespace lintel::perf
