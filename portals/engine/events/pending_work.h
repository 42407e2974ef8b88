#pragma once
// PendingWork: what the parts of an interface ask of the thread that drives the process. A plain
// struct, owned by the Process and shared by its interfaces. Guarded by the process' lock.

namespace lintel::portals {

struct PendingWork {
  bool wake_needed = false;   // a queue or counting event for which a thread sleeps has changed
  bool triggers_due = false;  // an interface has a triggered operation to carry out
};

}  // namespace lintel::portals
