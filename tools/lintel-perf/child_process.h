#pragma once
// Another process of the tool on this machine: a fork of this one.
//
// Owns it: it is killed at the end of this object if it still runs, and the kernel kills it if this
// process dies. Thread: one. Start it before anything of Portals is called.

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

#include "clock.h"

namespace lintel::perf {

class ChildProcess {
 public:
  // Runs `body` in the new process, which ends with what it returns, and whose stdout is stderr:
  // stdout belongs to the table or to the JSON document.
  explicit ChildProcess(const std::function<int()>& body);
  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ~ChildProcess();
  ChildProcess& operator=(ChildProcess&&) = delete;

  // -1 if it is known to have ended.
  pid_t id() const { return id_; }

  // Waits for its end. Returns false if it still runs after `limit`.
  bool ends_within(Seconds limit);

  // Kills it, unless it has ended itself. Returns what waitpid() tells. REQUIRES: id() > 0.
  int kill();

 private:
  pid_t id_;
};

}  // namespace lintel::perf
