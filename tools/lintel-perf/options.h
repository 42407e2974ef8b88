#pragma once
// The command line: what it may say and what it says.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measurement.h"
#include "results.h"

namespace lintel::perf {

enum class Role { kLocal, kServer, kClient };

struct PerfOptions {
  Role role = Role::kLocal;
  const Measurement* measurement = nullptr;  // null for a server: the client chooses
  std::vector<std::uint64_t> sizes;          // empty: up to the interface's limit for swaps
  Settings settings;
  Units units = Units::kMB;
  double deadline_seconds = 10;
  std::uint64_t processes = 4;  // of a chain

  std::string server_address;  // of a client
  std::uint32_t pid = 0;       // own, of a server; 0: any. The server's, of a client
  std::string bind;            // empty: not said
  bool once = false;           // a server serves one client
  // Of the second process of a pair: where it shows its nid and pid, instead of on stdout.
  std::atomic<ProcessName>* shown_name = nullptr;

  std::vector<int> cpus;  // as given: this process's, or the initiator's and the target's
  std::string provider;   // empty: not said
  std::string json_file;  // empty: none; "-": stdout
  std::string csv_file;
  bool show_percentiles = false;
  std::vector<std::string> arguments;  // of which the rest was made
};

// Parses a command line without the program's name. Prints help or version itself and returns
// nothing then. Throws PerfFailure(kUnusable) with one sentence.
std::optional<PerfOptions> parse_options(const std::vector<std::string>& arguments);

// What this process does, by its role. Each throws PerfFailure.
//
// Finds the target, measures, and reports. With role kLocal the target is started here.
void run_client(const PerfOptions& options);
// Is the target for one client after the other, until killed, or for one client with --once.
// Returns the exit code of a served client.
ExitCode run_server(const PerfOptions& options);
// Starts the processes of a chain, measures it, and reports. REQUIRES: options.measurement->chain;
// nothing of Portals has been called in this process.
void run_chain(const PerfOptions& options);

}  // namespace lintel::perf
