#pragma once
// Signals to lintel-run, read from a descriptor.

#include <signal.h>

#include <optional>
#include <string>

#include "base/file_descriptor.h"

namespace lintel::run {

// Blocks the signals that are passed on to the ranks, and SIGCHLD, and receives them through a
// descriptor. Ignores SIGPIPE. One for the process.
class Signals {
 public:
  Signals();
  int fd() const { return descriptor_.get(); }
  // Returns the next signal, if one has come.
  std::optional<int> next();
  // In a child before exec: restores the state from when lintel-run started.
  void restore() const;

 private:
  sigset_t previous_{};
  struct sigaction previous_pipe_ {};
  FileDescriptor descriptor_;
};

// "signal 9 (SIGKILL)".
std::string signal_text(int number);

}  // namespace lintel::run
