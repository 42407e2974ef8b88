// lintel-perf: one-sided bandwidth and latency between two processes, and chains of triggered operations through many. See options.cpp for what it can
// do, measurement.cpp for how.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "chain_conductor.h"
#include "client.h"
#include "failure.h"
#include "interface.h"
#include "options.h"
#include "protocol.h"
#include "server.h"

namespace {

using namespace lintel::perf;

ExitCode run(int argc, char** argv) {
  const auto options = parse_options(argc, argv);
  if (!options) return ExitCode::kOk;
  if (options->pretended_protocol) pretend_protocol(*options->pretended_protocol);
  if (!options->provider.empty()) set_library_variable("LINTEL_PROVIDER", options->provider);
  if (!options->bind.empty()) set_library_variable("LINTEL_INTERFACE", options->bind);
  if (options->role == Role::kServer) return run_server(*options);
  if (options->measurement->chain) {
    run_chain(*options);
  } else {
    run_client(*options);
  }
  return ExitCode::kOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return static_cast<int>(run(argc, argv));
  } catch (const PeerLost& lost) {
    fmt::print(stderr, "lintel-perf: {}\n", lost.what());
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(lost.code()));  // the interface is still open, see Interface::abandon()
  } catch (const Failure& failure) {
    const std::string_view sentence = failure.what();
    if (!sentence.empty()) fmt::print(stderr, "lintel-perf: {}\n", sentence);
    return static_cast<int>(failure.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "lintel-perf: {}\n", error.what());
    return static_cast<int>(ExitCode::kFailed);
  }
}
