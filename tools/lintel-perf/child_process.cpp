#include "child_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "failure.h"

namespace lintel::perf {

ChildProcess::ChildProcess(const std::function<int()>& body) {
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  id_ = ::fork();
  if (id_ < 0) fail("fork failed: {}", std::strerror(errno));
  if (id_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(1);  // the parent died before the line above
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::exit(body());
}

ChildProcess::~ChildProcess() {
  if (id_ > 0) kill();
}

bool ChildProcess::ends_within(Seconds limit) {
  const auto end = after(limit);
  while (id_ > 0) {
    if (::waitpid(id_, nullptr, WNOHANG) != 0) {
      id_ = -1;
    } else if (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } else {
      return false;
    }
  }
  return true;
}

int ChildProcess::kill() {
  int status = 0;
  ::kill(id_, SIGKILL);
  ::waitpid(std::exchange(id_, -1), &status, 0);
  return status;
}

}  // namespace lintel::perf
