#include "signals.h"

#include <fmt/format.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>

#include "failure.h"

namespace lintel::run {

Signals::Signals() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGCHLD})
    ::sigaddset(&wanted, number);
  ::sigprocmask(SIG_BLOCK, &wanted, &previous_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &previous_pipe_);
  // Our parent may have left SIGCHLD ignored. Then no child could be waited for.
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &normal, nullptr);
  descriptor_ = FileDescriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_.is_open())
    throw RunFailure(kExitFailed, fmt::format("signalfd failed: {}", std::strerror(errno)));
}

std::optional<int> Signals::next() {
  signalfd_siginfo information{};
  if (::read(descriptor_.get(), &information, sizeof information) !=
      static_cast<ssize_t>(sizeof information))
    return std::nullopt;
  return static_cast<int>(information.ssi_signo);
}

void Signals::restore() const {
  ::sigaction(SIGPIPE, &previous_pipe_, nullptr);
  ::sigprocmask(SIG_SETMASK, &previous_, nullptr);
}

std::string signal_text(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number)
                         : fmt::format("signal {} (SIG{})", number, name);
}

}  // namespace lintel::run
