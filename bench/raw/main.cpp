// lintel-raw-fabric: latency, message rate and bandwidth of a libfabric provider without Lintel.
//
//   lintel-raw-fabric pingpong rate bw-send bw-write bw-read --provider net --json raw.json
//
// Starts its own peer. Each of the two processes has a processor of its own. Exit code 0: measured,
// 1: the fabric or the output failed, 2: bad option.

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "bench/raw/options.h"
#include "bench/raw/peer_process.h"
#include "bench/raw/report.h"
#include "bench/raw/session.h"

namespace {

using namespace lintel::bench;

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("could not write " + path + ".");
}

void measure(const RawOptions& options) {
  PeerProcess target([&](ControlSocket& initiator) { run_target(options, initiator); });
  const RawSession session = run_initiator(options, target.channel());
  if (!target.join()) throw std::runtime_error("the target process failed.");

  const bool json_to_stdout = options.json_path == "-";
  print_table(json_to_stdout ? stderr : stdout, options, session);
  if (json_to_stdout) fmt::print("{}", to_json(options, session));
  if (!json_to_stdout && !options.json_path.empty())
    write_file(options.json_path, to_json(options, session));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Parsed parsed = parse(argc, argv);
    if (!parsed.options) return parsed.exit_code;
    measure(*parsed.options);
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "lintel-raw-fabric: {}\n", failure.what());
    return 1;
  }
}
