#pragma once
// The provider's TCP sockets whose other end is on this machine, and how the kernel is told to let them run.
//
// Between two processes of one machine there is no network to share, and congestion control has nothing to find out. One that paces what it sends by an
// estimate, as bbr does, takes a third of the bandwidth there. libfabric has no setting for it, so the sockets are looked up in /proc/self/fd by their
// addresses, and get reno, which is part of every kernel and open to every user. What the kernel refuses stays as it is.
// Functions without state. Thread: any; they take some microseconds per open descriptor, and belong where a connection is made.

#include <netinet/in.h>

#include <cstddef>

namespace lintel::transport {

// The socket that listens at `own`, and so all that it accepts from then on; only if that is loopback, where nobody comes from elsewhere. Returns how
// many were found.
std::size_t free_listener(const sockaddr_in& own);

// The sockets that are connected to `peer`, and those that were accepted at `own` from its address. Returns how many were found.
// REQUIRES: on_this_machine(own, peer).
std::size_t free_connections(const sockaddr_in& own, const sockaddr_in& peer);

}  // namespace lintel::transport
