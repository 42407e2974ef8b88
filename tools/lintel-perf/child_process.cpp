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
  if (end_) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

std::optional<int> ChildProcess::end_within(Seconds limit) {
  for (const auto end = after(limit); !end_;) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) != 0) {
      end_ = status;
    } else if (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } else {
      break;
    }
  }
  return end_;
}

}  // namespace lintel::perf
