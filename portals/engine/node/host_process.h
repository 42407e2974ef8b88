#pragma once
// The engine's Process of this operating-system process, for all APIs that the program uses. It is
// made from the environment when the first API starts, and ends when the last has ended.
//
// A test can set a Process of its own instead (ScopedProcess), so that one program can have several
// processes on a simulated network.
// A child of fork() has no current process and none of the parent's descriptors of networks, from
// the fork on. vfork(), _Fork() and clone(2) do not run the handler that does this; they are for
// children that exec at once.
// Thread: any. Only start_host(), stop_host() and ScopedProcess change the current process.

#include <cstddef>
#include <span>

#include "base/config.h"
#include "portals/engine/process/process.h"

namespace lintel::portals {

// The current process, or null before start_host().
Process* current_process();

// Starts are counted: each start_host() that returns true needs one stop_host(). False: a variable
// of the environment is wrong; the log has the reason. A child of fork() begins without a start.
[[nodiscard]] bool start_host();
// The last one ends all interfaces, after what was sent has left or the linger time is over. It
// then writes the counters file, with the sums of this operating-system process so far. Without a
// start it has no effect. If a process exits without it, exit() writes the file.
void stop_host();
// Whether start_host() has made a Process that still exists.
bool host_started();

// The settings that were read at the start.
const Config& host_config();

// Gives the Process of start_host() the secret of the job that this operating-system process
// belongs to, unless it has one from LINTEL_SECRET_FILE: from now on it talks only to processes
// that have the same. Sessions that were opened without it end. So do later Processes of this
// operating-system process, and those of children that it forks from now on. The first secret
// stays. No effect without a start. REQUIRES: the secret is not empty.
void give_job_secret(std::span<const std::byte> secret);

// Makes `process` (not owned) the current process until the end of the scope.
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
