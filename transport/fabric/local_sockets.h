#pragma once
// Sets reno on the provider's TCP sockets that stay on this machine, if their congestion control
// paces (pacing.h). libfabric has no setting for it, so the sockets are found in /proc/self/fd by
// their addresses. Without memory none is found, and they stay as they are.
// Functions without state. Thread: any. They take some microseconds per open descriptor, so they
// are called when a connection is made.

#include <netinet/in.h>

#include <cstddef>

namespace lintel::transport {

// The socket that listens at `own`, which passes the setting on to what it accepts. Only if `own`
// is loopback, where no connection comes from another machine. Returns how many sockets were found.
std::size_t disable_pacing_of_listener(const sockaddr_in& own);

// The sockets that are connected to `peer`, and those that were accepted at `own` from its address.
// Returns how many were found.
// REQUIRES: on_this_machine(own, peer).
std::size_t disable_pacing_of_connections(const sockaddr_in& own, const sockaddr_in& peer);

}  // namespace lintel::transport
