#include "guardian.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "failure.h"

namespace lintel::run {
namespace {

[[noreturn]] void guard(int pipe) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, "lintel-guardian");
  ::dup2(pipe, STDIN_FILENO);
  ::close_range(STDOUT_FILENO, ~0U, 0);
  std::vector<pid_t> groups;
  while (true) {
    pid_t message = 0;
    const ssize_t got = ::read(STDIN_FILENO, &message, sizeof message);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof message)) break;
    if (message > 0) {
      groups.push_back(message);
    } else {
      groups.erase(std::remove(groups.begin(), groups.end(), -message), groups.end());
    }
  }
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
  ::_exit(0);
}

}  // namespace

Guardian::Guardian() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw RunFailure(kExitFailed, fmt::format("pipe failed: {}", std::strerror(errno)));
  const FileDescriptor theirs(ends[0]);
  pipe_ = FileDescriptor(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw RunFailure(kExitFailed, fmt::format("fork failed: {}", std::strerror(errno)));
  if (pid == 0) guard(theirs.get());
}

void Guardian::tell(pid_t message) {
  // If the guardian was killed, nothing is left to do.
  static_cast<void>(!::write(pipe_.get(), &message, sizeof message));
}

}  // namespace lintel::run
