#pragma once
// Identity: the process, user and job that messages name as their sender.

#include "base/ids.h"

namespace lintel::portals {

struct Identity {
  ProcessId process;
  UserId user;
  JobId job;
};

}  // namespace lintel::portals
