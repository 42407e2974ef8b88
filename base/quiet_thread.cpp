#include "base/quiet_thread.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace lintel {

std::thread start_quiet_thread(std::function<void()> body) {
  // A thread inherits the signal mask of the thread that starts it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(body));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {  // std::system_error, std::bad_alloc
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace lintel
