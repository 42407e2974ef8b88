#pragma once
// The interfaces through which this process measures, or is measured: each is opened when it is first asked for.
//
// Borrows the Portals 3 interface, which the two processes talk through in any case. Thread: one.

#include <memory>

#include "api_choice.h"
#include "interface.h"
#include "operations.h"

namespace lintel::perf {

class TimedInterfaces {
 public:
  explicit TimedInterfaces(const Interface& network) : network_(network) {}

  // Throws Failure(kUnusable) if it cannot be had.
  TimedInterface& of(Api api);

  // See Interface::abandon().
  void abandon();

 private:
  const Interface& network_;
  std::unique_ptr<TimedInterface> portals3_;
  std::unique_ptr<TimedInterface> portals4_;
};

// The name of a process, as operations want it.
inline ProcessName name_of(ptl_process_id_t id) { return {id.nid, id.pid}; }

}  // namespace lintel::perf
