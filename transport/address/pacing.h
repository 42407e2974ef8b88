#pragma once
// Chooses the congestion control of TCP connections that stay on one machine.
//
// Between two processes of one machine there is no network to share, so congestion control is of no
// use. An algorithm that paces what it sends by an estimate of the bandwidth, as bbr does, costs a
// third of the bandwidth there. reno is part of every kernel and open to every user, so it replaces
// such an algorithm. Other algorithms, such as cubic, cost nothing and stay.

#include <string_view>

namespace lintel::transport {

// Whether the congestion control of this name paces what it sends.
bool paces(std::string_view congestion_control);

// Sets reno on a socket whose congestion control paces. The socket is connected, will be connected,
// or listens and passes the setting on to the sockets that it accepts. If the kernel refuses,
// nothing changes. One or two system calls.
void disable_pacing(int fd);

}  // namespace lintel::transport
