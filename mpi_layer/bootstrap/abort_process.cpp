#include "mpi_layer/bootstrap/abort_process.h"

#include <stdio.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace lintel::mpi {

void report_abort(unsigned rank, int exit_code, std::string_view text) {
  const std::string line = "lintel: rank " + std::to_string(rank) +
                           " aborts the job with exit code " + std::to_string(exit_code) + ": " +
                           std::string(text) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  // Does not wait for the lock of a stream, because a thread that reads may hold one without limit.
  if (::ftrylockfile(stdout) != 0) return;
  ::fflush_unlocked(stdout);
  ::funlockfile(stdout);
}

void end_aborted(int exit_code) { std::_Exit((exit_code & 0xff) == 0 ? 1 : exit_code); }

}  // namespace lintel::mpi
