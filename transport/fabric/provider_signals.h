#pragma once
// SignalDispositions: what a process does on each signal, so that no library of libfabric's takes
// signals for itself.
//
// libinfinipath, which Debian 12's libfabric is linked with for its provider psm, replaces in its
// constructor what SIGINT, SIGILL, SIGABRT, SIGBUS, SIGSEGV and SIGTERM do. Its handler writes a
// backtrace and ends the process with exit code 1: nobody can tell any more what has ended it, and
// a handler that the program had before is lost. It comes with libfabric into every process that is
// linked with Lintel or loads it, whatever the network. What stops it, IPATH_NO_BACKTRACE in the
// environment, must be there before the process is. So Lintel notes the dispositions before any
// constructor of what is loaded together with it runs, and in its own, which comes later, gives
// back what was taken; and does the same around the search for providers, which loads those that
// are files of their own.
//
// Any thread. A disposition that is not libinfinipath's is never touched.

#include <array>
#include <csignal>

namespace lintel::transport {

class SignalDispositions {
 public:
  // Signals with a meaning of their own; index 0 is none.
  using All = std::array<struct sigaction, 32>;

  // Those of now.
  SignalDispositions();
  explicit SignalDispositions(const All& then) : then_(then) {}

  // What libinfinipath has taken since does what it did then.
  void give_back() const;

 private:
  All then_;
};

}  // namespace lintel::transport
