#pragma once
// TCP sockets as a DirectTransport wants them: never blocking, closed in a program that is started,
// sending at once what they are given. Functions without state.

#include <netinet/in.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace lintel::transport {

// Listens at `own`, port 0: any free one, which `own` then names. Error (kInterface): as the system
// says; EADDRINUSE if another process listens there.
Result<FileDescriptor> listen_at(sockaddr_in& own);

// A connection that is being made from own's address, any port, to `peer`; writable when it is made
// or has failed. Error (kPeer): the system refuses at once.
Result<FileDescriptor> connect_from(const sockaddr_in& own, const sockaddr_in& peer);
// How it ended: 0, or the error number.
int outcome_of_connect(int fd);

struct Caller {
  FileDescriptor fd;  // not open: nobody waits, or `error` says why none can be taken
  sockaddr_in address{};
  int error = 0;
};
// The next of those who wait.
Caller accept_at(int listener, const sockaddr_in& own);

// Lets the other side have what is in the kernel, although nobody reads any more what it sends.
void leave(int fd);
// Ends a connection, although other processes may hold its socket too.
void end_socket(FileDescriptor fd);

// Bytes that went or came; -1 with errno EAGAIN: none can now. Never interrupted, never SIGPIPE.
ssize_t send_to(int fd, std::span<const iovec> pieces);
ssize_t receive_from(int fd, std::span<const iovec> pieces);

}  // namespace lintel::transport
