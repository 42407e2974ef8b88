#pragma once
// The provider's TCP sockets whose other end is on this machine are freed of pacing (pacing.h).
// libfabric has no setting for it, so they are looked up in /proc/self/fd by their addresses.
// Functions without state. Thread: any; they take some microseconds per open descriptor, and belong
// where a connection is made.

#include <netinet/in.h>

#include <cstddef>

namespace lintel::transport {

// The socket that listens at `own`, and so all that it accepts from then on; only if that is
// loopback, where nobody comes from elsewhere. Returns how many were found.
std::size_t free_listener(const sockaddr_in& own);

// The sockets that are connected to `peer`, and those that were accepted at `own` from its address.
// Returns how many were found. REQUIRES: on_this_machine(own, peer).
std::size_t free_connections(const sockaddr_in& own, const sockaddr_in& peer);

}  // namespace lintel::transport
