#pragma once
// Another process of the tool on this machine: a fork of this one.
//
// It is killed at the end of this object if it still runs, and the kernel kills it if this process
// dies. Thread: one. Start it before anything of Portals is called.

#include <sys/types.h>

#include <functional>
#include <optional>

#include "clock.h"

namespace lintel::perf {

class ChildProcess {
 public:
  // Runs `body` in the new process, which ends with what it returns, and whose stdout is stderr:
  // stdout belongs to the table or to the JSON document.
  explicit ChildProcess(const std::function<int()>& body);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }

  // What waitpid() tells when it has ended; nothing if it still runs after `limit`.
  std::optional<int> end_within(Seconds limit);

 private:
  pid_t id_;
  std::optional<int> end_;
};

}  // namespace lintel::perf
