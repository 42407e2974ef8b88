#pragma once
// How the kernel is told to let a TCP connection run that stays on this machine.
//
// Between two processes of one machine there is no network to share, and congestion control has nothing to find out. One that paces what it sends by an
// estimate, as bbr does, takes a third of the bandwidth there. reno is part of every kernel and open to every user.

namespace lintel::transport {

// For a socket that is connected, or listens and hands it on to all that it accepts. What the kernel refuses stays as it is. A system call.
void free_of_pacing(int fd);

}  // namespace lintel::transport
