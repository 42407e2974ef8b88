#pragma once
// How a process ends whose job is aborted, whatever launcher it has.

#include <string_view>

namespace lintel::mpi {

// Writes "lintel: rank <rank> aborts the job with exit code <exit_code>: <text>" to standard error,
// after what stdio still held.
void report_abort(unsigned rank, int exit_code, std::string_view text);

// Ends this process at once, without destructors. An exit code has 8 bits: what they cut to 0 ends
// as 1, for an abort is no success.
[[noreturn]] void end_aborted(int exit_code);

}  // namespace lintel::mpi
