#pragma once
// Identity: who sends: the process, and the user and job that its messages name.

#include "base/ids.h"

namespace lintel::portals {

struct Identity {
  ProcessId process;
  UserId user;
  JobId job;
};

}  // namespace lintel::portals
