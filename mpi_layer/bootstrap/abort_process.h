#pragma once
// How a process ends when its job is aborted, with every launcher.

#include <string_view>

namespace lintel::mpi {

// Flushes stdio, then writes "lintel: rank <rank> aborts the job with exit code <exit_code>:
// <text>" to standard error.
void report_abort(unsigned rank, int exit_code, std::string_view text);

// Ends this process at once, without destructors. An exit code has 8 bits. If they are all 0, the
// process exits with 1, because an abort is no success.
[[noreturn]] void end_aborted(int exit_code);

}  // namespace lintel::mpi
