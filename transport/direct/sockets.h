#pragma once
// Functions for the TCP sockets of a DirectTransport: non-blocking, TCP_NODELAY, not kept by a
// child process. No state.

#include <netinet/in.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "base/clock.h"
#include "base/private_descriptor.h"
#include "base/result.h"
#include "transport/transport.h"

namespace lintel::transport {

// Listens at `own`. Port 0: any free port, which is then set in `own`. Error (kInterface): as the
// system says; EADDRINUSE if another process listens there.
Result<PrivateDescriptor> listen_at(sockaddr_in& own);

// Starts a connection from the address of `own`, any port, to `peer`. The socket becomes writable
// when it is made or has failed. Error (kPeer): the system refuses at once; it names what is
// missing, such as a free descriptor.
Result<PrivateDescriptor> connect_from(const sockaddr_in& own, const sockaddr_in& peer);
// The result of connect_from(): 0, or the error number.
int outcome_of_connect(int fd);

// The addresses of both ends. False: the connection has ended.
bool addresses_of(int fd, sockaddr_in& own, sockaddr_in& peer);

// Of a connection at whose ends somebody listens at one address only: `listening` is the own one.
// All 0: the connection has ended.
ConnectionBinding binding_of(int fd, const sockaddr_in& listening);

struct AcceptedSocket {
  PrivateDescriptor fd;  // not open: none waits, or `error` says why none can be accepted
  sockaddr_in address{};
  int error = 0;
};
// Accepts the next connection that waits.
AcceptedSocket accept_at(int listener, const sockaddr_in& own);

// How long the kernel has received nothing on the connection, not even that the other side has
// received something; the longest time if it does not tell.
Nanoseconds silence_of(int fd);

// The other side sends nothing more, and all that it has sent was read.
bool has_been_ended(int fd);

// Ends the connection at once, with what the kernel holds to be sent on it, and tells the peer.
void reset_connection(int fd);

// Lets the peer receive what the kernel still has, although this side no longer reads.
void finish_sending(int fd);
// Ends a connection, even if other processes hold its socket.
void end_socket(PrivateDescriptor fd);

// Number of bytes sent or received; -1 with errno EAGAIN: none possible now. Never interrupted,
// never SIGPIPE.
ssize_t send_to(int fd, std::span<const iovec> pieces);
ssize_t receive_from(int fd, std::span<const iovec> pieces);
// Likewise, but they stay in the kernel.
ssize_t look_at(int fd, std::span<const iovec> pieces);
// Takes so many bytes out of the kernel. REQUIRES: look_at() has returned no fewer.
void take_out(int fd, std::size_t bytes);
// From now on the kernel reports data when there are so many bytes, when no more come, or when it
// has no room for so many. 1 as long as nothing was set.
void set_low_water(int fd, std::size_t bytes);

inline constexpr const char* kClosedByOthers =
    "a file descriptor of this process was closed, and not by Lintel";
// What has ended a connection from which nothing can be received: an error number, or 0 if the peer
// has closed it.
Error broken(int code);

}  // namespace lintel::transport
