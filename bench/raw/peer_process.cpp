#include "bench/raw/peer_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <system_error>

namespace lintel::bench {

PeerProcess::PeerProcess(const std::function<void(ControlSocket&)>& body)
    : PeerProcess(ControlSocket::make_pair(), body) {}

PeerProcess::PeerProcess(std::pair<ControlSocket, ControlSocket> ends,
                         const std::function<void(ControlSocket&)>& body)
    : channel_(std::move(ends.first)) {
  std::fflush(nullptr);
  child_ = fork();
  if (child_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child_ > 0) return;  // the child's end is closed with `ends`

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int exit_code = 0;
  try {
    ControlSocket mine(std::move(ends.second));
    // so that the end of the parent is noticed
    { const ControlSocket parents(std::move(channel_)); }
    body(mine);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "lintel-raw-fabric (target): {}\n", failure.what());
    exit_code = 1;
  }
  std::fflush(nullptr);
  _exit(exit_code);
}

bool PeerProcess::join() {
  int status = 0;
  const pid_t child = std::exchange(child_, -1);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

PeerProcess::~PeerProcess() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  join();
}

void enter_namespace(const std::string& path) {
  if (path.empty()) return;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool entered = descriptor >= 0 && setns(descriptor, CLONE_NEWNET) == 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  if (!entered)
    throw std::system_error(reason, std::generic_category(), "network namespace " + path);
}

void pin_to(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    throw std::system_error(errno, std::generic_category(), "sched_setaffinity");
}

}  // namespace lintel::bench
