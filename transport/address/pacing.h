#pragma once
// How the kernel is told to let a TCP connection run that stays on this machine.
//
// Between two processes of one machine there is no network to share, and congestion control has
// nothing to find out. One that paces what it sends by an estimate, as bbr does, takes a third of
// the bandwidth there. reno is part of every kernel and open to every user. Any other choice of the
// system's, as cubic, costs nothing there and is left alone.

#include <string_view>

namespace lintel::transport {

// Whether the congestion control of this name paces what it sends.
bool paces(std::string_view congestion_control);

// For a socket that is connected or about to be, or listens and hands it on to all that it accepts:
// reno in the place of one that paces. What the kernel refuses stays as it is. One or two system
// calls.
void free_of_pacing(int fd);

}  // namespace lintel::transport
