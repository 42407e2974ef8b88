#pragma once
// Socket: one TCP socket over IPv4, which never blocks; and what the sockets of IMPI's servers and
// clients have in common.

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
// The address of a dotted text; nothing for any other.
std::optional<std::uint32_t> parse_ipv4(const std::string& text);
// The first IPv4 address that a dotted text or a name stands for. Asks the resolver, and may wait
// for it.
Outcome<std::uint32_t> resolve(const std::string& host);

// Listens; port 0: on any that is free. It may be used again at once after the last one's end.
Outcome<Socket> listen_on(const TcpAddress& own);

struct Caller {
  Socket socket;
  TcpAddress address;
};
// A connection that has been made to `listener`, without delays (Nagle); nothing when there is
// none. Fails when the process or the system has no room for it.
Outcome<std::optional<Caller>> accept_on(const Socket& listener);

// Connects, from the address `source` if there is one, without delays (Nagle). Waits until
// `deadline` at most. The sentence names the address.
Outcome<Socket> connect_to(const TcpAddress& to, std::optional<std::uint32_t> source,
                           TimePoint deadline);

// The address that it is bound to.
TcpAddress own_address(const Socket& socket);

// A machine that is gone says nothing, not even that: within about this time its connection ends,
// whether something is sent or not. So it does when the other side takes nothing for so long.
void watch_over(const Socket& socket, Nanoseconds silence);

// poll(2)'s timeout for a deadline.
int milliseconds_until(TimePoint deadline);
// Waits until poll(2) has one of `events` to tell, or an end; false: the deadline came first.
bool wait_for(const Socket& socket, short events, TimePoint deadline);

}  // namespace lintel::mpi::impi
