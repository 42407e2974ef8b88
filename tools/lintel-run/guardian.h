#pragma once
// Guardian: a process beside lintel-run that outlives it by a moment, to end what lintel-run can no
// longer end when it is killed itself.
//
// The ranks die with lintel-run by themselves (PR_SET_PDEATHSIG); their children do not, and are
// reached through the ranks' process groups. The guardian sleeps in a read until lintel-run is
// gone, however that came. It holds nothing of lintel-run's open and hears no signal.

#include <sys/types.h>

#include "base/file_descriptor.h"

namespace lintel::run {

class Guardian {
 public:
  // Starts the process, a child of this one. Throws Failure when the system refuses.
  Guardian();

  // `group` is to end with lintel-run; no longer.
  void watch(pid_t group) { tell(group); }
  void forget(pid_t group) { tell(-group); }

 private:
  void tell(pid_t message);

  FileDescriptor pipe_;
};

}  // namespace lintel::run
