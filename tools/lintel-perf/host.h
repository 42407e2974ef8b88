#pragma once
// What the tool asks the operating system: names, addresses, CPUs.

#include <portals3.h>

#include <string>

#include "clock.h"

namespace lintel::perf {

// The IPv4 address of a host name or of a dotted address, in host byte order. Throws
// Failure(kUnusable)
// if there is none, or no answer within `limit`.
ptl_nid_t resolve(const std::string& name, Seconds limit);

// The address of the interface through which packets to `nid` would leave; empty if there is none.
std::string address_towards(ptl_nid_t nid);

std::string host_name();

// Confines this thread, and those it starts later, to `cpu`. Throws Failure(kUnusable) if there is
// none.
void pin_to_cpu(int cpu);

}  // namespace lintel::perf
