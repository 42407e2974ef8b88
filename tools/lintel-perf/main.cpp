// lintel-perf: one-sided bandwidth and latency between two processes, and chains of triggered
// operations through many. See options.cpp for what it can do, measurement.cpp for how.

#include <cstdlib>

#include "options.h"

int main(int argc, char** argv) {
  using namespace lintel::perf;
  return exit_code_of([&] {
    const auto options = parse_options({argv + 1, argv + argc});
    if (!options) return ExitCode::kOk;
    if (!options->provider.empty()) ::setenv("LINTEL_PROVIDER", options->provider.c_str(), 1);
    if (!options->bind.empty()) ::setenv("LINTEL_INTERFACE", options->bind.c_str(), 1);
    if (options->server) return run_server(*options);
    if (options->measurement->chain) {
      run_chain(*options);
    } else {
      run_client(*options);
    }
    return ExitCode::kOk;
  });
}
