#pragma once
// The one Process of the engine that belongs to this operating-system process, whichever APIs the
// program uses: made from the environment when the first of them starts, ended when the last has
// ended.
//
// A test lends one of its own instead (ScopedProcess), so that one program can play several
// processes on a simulated network.
// Thread: any; the current process changes in start_host(), stop_host() and ScopedProcess only.

#include "base/config.h"
#include "portals/engine/process.h"

namespace lintel::portals {

// The process in force, or null before start_host().
Process* current_process();

// Counted: each start_host() that returns true is to be followed by one stop_host(). False: the
// environment is at fault; the log says how. In a child of fork() the parent's starts do not count:
// it starts afresh.
[[nodiscard]] bool start_host();
// The last one ends all interfaces, after what was sent has left or the linger time is over, and
// writes the counters file: the sum of all that this operating-system process has done so far.
// Without a start: no effect. A process that exits before has the file written by exit().
void stop_host();
// This operating-system process has started it.
bool host_started();

// What the environment said at the start.
const Config& host_config();

// Makes the APIs talk to `process` (not owned) until it goes out of scope.
class ScopedProcess {
 public:
  explicit ScopedProcess(Process& process);
  ScopedProcess(const ScopedProcess&) = delete;
  ScopedProcess& operator=(const ScopedProcess&) = delete;
  ~ScopedProcess();

 private:
  Process* previous_;
};

}  // namespace lintel::portals
