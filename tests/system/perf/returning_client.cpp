// Two clients of a server on this host, whose process id is the argument. The first is accepted and
// ends without a word; the second has its name, and is to be accepted too.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "peer.h"

namespace lintel::perf {
namespace {

// Returns the own process id, when the server has accepted this process.
ptl_pid_t be_accepted(ptl_pid_t own, ptl_pid_t server_pid) {
  // Its destructor would take leave.
  auto* const end = new PairEnd(own, {PTL_NID_ANY, PTL_PID_ANY}, -1);
  const ProcessName name = end->network.name();
  connect_to_server(end->control, {name.nid, server_pid}, end->self, {"get-lat"}, Seconds(30));
  return name.pid;
}

int run(ptl_pid_t server_pid) {
  int ends[2];
  if (::pipe(ends) != 0) fail("pipe failed");
  const pid_t first = ::fork();
  if (first == 0) {
    const ptl_pid_t own = be_accepted(PTL_PID_ANY, server_pid);
    ::_exit(::write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
  }
  ::close(ends[1]);
  ptl_pid_t own = 0;
  if (::read(ends[0], &own, sizeof own) != sizeof own) fail("the first client was not accepted");
  ::waitpid(first, nullptr, 0);
  be_accepted(own, server_pid);
  return 0;
}

}  // namespace
}  // namespace lintel::perf

int main(int argc, char** argv) {
  try {
    if (argc != 2) lintel::perf::fail("expected the server's process id");
    ::_exit(lintel::perf::run(static_cast<ptl_pid_t>(std::atoi(argv[1]))));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ::_exit(1);
  }
}
