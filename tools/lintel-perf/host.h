#pragma once
// What the tool asks the operating system: names, addresses, CPUs.

#include <portals3.h>

#include <chrono>
#include <optional>
#include <string>

namespace lintel::perf {

// The IPv4 address of a host name or of a dotted address, in host byte order. Throws Failure(kUnusable) if there is none, or no answer within `limit`.
ptl_nid_t resolve(const std::string& name, std::chrono::duration<double> limit);

// The address of the interface through which packets to `nid` would leave.
std::optional<std::string> address_towards(ptl_nid_t nid);

std::string host_name();

// Confines this thread, and those it starts later, to `cpu`. Throws Failure(kUnusable) if there is no such CPU.
void pin_to_cpu(int cpu);

}  // namespace lintel::perf
