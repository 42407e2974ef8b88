#include "base/quiet_thread.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace lintel {

std::thread start_quiet_thread(std::function<void()> body) {
  // A thread inherits the signal mask of the thread that starts it.
  struct Restore {
    ~Restore() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
    sigset_t mask;
  } before;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before.mask);
  return std::thread(std::move(body));
}

}  // namespace lintel
