#include "mpi_layer/bootstrap/abort_process.h"

#include <cstdio>
#include <cstdlib>

namespace lintel::mpi {

void report_abort(unsigned rank, int exit_code, std::string_view text) {
  std::fflush(nullptr);
  std::fprintf(stderr, "lintel: rank %u aborts the job with exit code %d: %.*s\n", rank, exit_code, static_cast<int>(text.size()),
               text.data());
}

void end_aborted(int exit_code) { std::_Exit((exit_code & 0xff) == 0 ? 1 : exit_code); }

}  // namespace lintel::mpi
