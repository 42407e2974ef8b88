#pragma once
// Signals that lintel-run gets, as something to read beside everything else.

#include <signal.h>

#include <optional>
#include <string>

#include "base/file_descriptor.h"

namespace lintel::run {

// Blocks the signals that are passed on to the ranks, and SIGCHLD, and receives them through a
// descriptor instead. SIGPIPE is ignored. One for the process.
class Signals {
 public:
  Signals();
  int fd() const { return descriptor_.get(); }
  // The next one that has come, if any.
  std::optional<int> next();
  // In a child before exec: as they were when lintel-run started.
  void restore() const;

 private:
  sigset_t previous_{};
  struct sigaction previous_pipe_ {};
  FileDescriptor descriptor_;
};

// "signal 9 (SIGKILL)".
std::string signal_text(int number);

}  // namespace lintel::run
