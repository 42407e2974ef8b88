#pragma once
// Socket: a TCP socket over IPv4 that never blocks, and functions on such sockets for IMPI's
// servers and clients.

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi::impi {

using Socket = FileDescriptor;

// Both in host byte order.
struct TcpAddress {
  std::uint32_t ipv4 = 0;
  std::uint16_t port = 0;
  bool operator==(const TcpAddress&) const = default;
};

// "10.0.0.1:4711".
std::string text_of(const TcpAddress& address);
// The address of a dotted text; nothing for any other text.
std::optional<std::uint32_t> parse_ipv4(const std::string& text);
// The first IPv4 address of a dotted text or a host name. Asks the resolver, which may block.
Outcome<std::uint32_t> resolve(const std::string& host);

// Listens. Port 0: any free port. The address can be reused at once after an earlier listener has
// ended.
Outcome<Socket> listen_on(const TcpAddress& own);

struct AcceptedHost {
  Socket socket;
  TcpAddress address;
};
// Accepts a connection to `listener`, with TCP_NODELAY; nothing if there is none. Fails if the
// process or the system has no room for it.
Outcome<std::optional<AcceptedHost>> accept_on(const Socket& listener);

// Connects with TCP_NODELAY, from the address `source` if given. Blocks until `deadline` at most.
// The error message names the address.
Outcome<Socket> connect_to(const TcpAddress& to, std::optional<std::uint32_t> source,
                           TimePoint deadline);

// The address to which the socket is bound.
TcpAddress own_address(const Socket& socket);

// A machine that has crashed does not end its connections. Makes the connection fail after about
// `silence` without any answer, whether something is sent or not, and also if the other side
// accepts no bytes for so long.
void watch_over(const Socket& socket, Nanoseconds silence);

// The timeout of poll(2) for a deadline.
int milliseconds_until(TimePoint deadline);
// Waits until poll(2) reports one of `events` or the end of the connection. False: the deadline
// passed first.
bool wait_for(const Socket& socket, short events, TimePoint deadline);

}  // namespace lintel::mpi::impi
