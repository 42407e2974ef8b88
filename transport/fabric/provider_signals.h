#pragma once
// SignalDispositions: the signal handlers of a process at one time. Used to undo what libraries of
// libfabric change.
//
// libinfinipath, to which Debian 12's libfabric is linked for its provider psm, replaces the
// handlers of SIGINT, SIGILL, SIGABRT, SIGBUS, SIGSEGV and SIGTERM in its constructor. Its handler
// writes a backtrace and ends the process with exit code 1, so the cause of the end is no longer
// visible, and a handler that the program had set before is lost. libfabric brings it into every
// process that uses Lintel, whatever the network. IPATH_NO_BACKTRACE in the environment would stop
// it, but only if it is set before the process starts.
//
// So Lintel stores the handlers before the constructors of the libraries that are loaded with it
// run, and restores them in its own constructor, which runs later. It does the same around the
// search for providers, which loads providers that are separate files.
//
// Thread: any. Handlers that are not libinfinipath's are never changed.

#include <array>
#include <csignal>

namespace lintel::transport {

class SignalDispositions {
 public:
  // The classic signals; index 0 is not used.
  using All = std::array<struct sigaction, 32>;

  // Stores the present handlers.
  SignalDispositions();
  explicit SignalDispositions(const All& then) : then_(then) {}

  // Restores the stored handler of each signal whose handler is now libinfinipath's.
  void give_back() const;

 private:
  All then_;
};

}  // namespace lintel::transport
