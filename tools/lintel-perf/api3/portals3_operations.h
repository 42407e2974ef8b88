#pragma once
// The measured operations through Portals 3.

#include <memory>

#include "interface.h"
#include "operations.h"

namespace lintel::perf {

// Borrows `network`, which is the process's one Portals 3 interface, and leaves it open.
std::unique_ptr<TimedInterface> open_portals3(const Interface& network);

}  // namespace lintel::perf
