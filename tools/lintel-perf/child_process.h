#pragma once
// Another process of the tool on this machine: a fork of this one. It is killed at the end of this
// object if it still runs, and the kernel kills it if this process dies.

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <thread>

#include "clock.h"
#include "failure.h"

namespace lintel::perf {

// An object in memory that this process shares with those that it forks afterwards. It stays until
// they end.
template <class Shared, class... Arguments>
Shared& shared_with_children(Arguments... arguments) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap failed: {}", std::strerror(errno));
  return *new (memory) Shared(arguments...);
}

// Thread: one. Start it before anything of Portals is called.
class ChildProcess : NotCopied {
 public:
  // Runs body() in the new process, which ends with what it returns, and whose stdout is stderr:
  // stdout belongs to the table or to the JSON document.
  template <class Body>
  explicit ChildProcess(Body body) {
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
  ~ChildProcess() {
    if (end_) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }

  // What waitpid() tells when it has ended; nothing if it still runs after `limit`.
  std::optional<int> end_within(Seconds limit) {
    for (const auto end = after(limit); !end_;) {
      int status = 0;
      if (::waitpid(id_, &status, WNOHANG) != 0) {
        end_ = status;
      } else if (Clock::now() >= end) {
        break;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
    return end_;
  }

 private:
  pid_t id_;
  std::optional<int> end_;
};

}  // namespace lintel::perf
