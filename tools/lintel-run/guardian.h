#pragma once
// Guardian: a process beside lintel-run that outlives it briefly, to end what a killed lintel-run
// can no longer end.
//
// The ranks die with lintel-run by themselves (PR_SET_PDEATHSIG). Their children do not, and are
// reached through the ranks' process groups. The guardian sleeps in a read until lintel-run has
// ended in any way. It keeps no descriptor of lintel-run open and ignores signals.

#include <sys/types.h>

#include "base/file_descriptor.h"

namespace lintel::run {

class Guardian {
 public:
  // Starts the process, a child of this one. Throws RunFailure when the system refuses.
  Guardian();

  // `group` is to end when lintel-run ends, until forget().
  void watch(pid_t group) { tell(group); }
  void forget(pid_t group) { tell(-group); }

 private:
  void tell(pid_t message);

  FileDescriptor pipe_;
};

}  // namespace lintel::run
