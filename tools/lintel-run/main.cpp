// lintel-run: starts the processes of a job on this machine. Options: options.cpp. Operation:
// job.h.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include "failure.h"
#include "launched_job.h"
#include "options.h"

namespace {

using namespace lintel::run;

// If the caller has closed a standard stream, another file would get its number.
void fill_standard_streams() {
  int fd = 0;
  do fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) ::close(fd);
}

// As far as the hard limit allows: lintel-run needs four descriptors for each rank. A rank inherits
// the limit, and needs one for each peer.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// From 1 to 0xfffffffe, as LINTEL_JOB_ID wants it. Random, because process ids repeat between
// containers that share a network.
unsigned make_job_id() {
  unsigned number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
    number = static_cast<unsigned>(::getpid());
  return number % 0xfffffffeU + 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = parse_options(argc, argv);
    if (!options) return 0;
    fill_standard_streams();
    raise_descriptor_limit();
    // the ranks inherit it
    if (!options->impi.empty()) ::setenv("LINTEL_IMPI", options->impi.c_str(), 1);
    return LaunchedJob(*options, make_job_id()).run();
  } catch (const RunFailure& failure) {
    fmt::print(stderr, "lintel-run: {}\n", failure.what());
    return failure.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "lintel-run: {}\n", error.what());
    return kExitFailed;
  }
}
