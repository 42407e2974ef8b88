#include "mpi_layer/impi/sockets/tcp_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "mpi_layer/impi/host_id.h"

namespace lintel::mpi::impi {
namespace {

constexpr int kSocketFlags = SOCK_CLOEXEC | SOCK_NONBLOCK;

sockaddr_in system_address(const TcpAddress& address) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(address.port);
  made.sin_addr.s_addr = htonl(address.ipv4);
  return made;
}

TcpAddress address_of(const sockaddr_in& address) {
  return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

void set_option(const Socket& socket, int level, int option, int value) {
  ::setsockopt(socket.get(), level, option, &value, sizeof value);
}

Problem refusal(const std::string& what, const char* call, int error) {
  return Problem{what + ": " + call + ": " + std::strerror(error)};
}

bool bind_to(const Socket& socket, const TcpAddress& own) {
  const sockaddr_in address = system_address(own);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::string text_of(const TcpAddress& address) {
  return text_of(host_id_of(address.ipv4)) + ":" + std::to_string(address.port);
}

std::optional<std::uint32_t> parse_ipv4(const std::string& text) {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

Outcome<std::uint32_t> resolve(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &list);
  if (error != 0) return Problem{"'" + host + "' has no IPv4 address: " + ::gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  return address_of(*reinterpret_cast<const sockaddr_in*>(list->ai_addr)).ipv4;
}

Outcome<Socket> listen_on(const TcpAddress& own) {
  const std::string what = "cannot listen on " + text_of(own);
  Socket socket(::socket(AF_INET, SOCK_STREAM | kSocketFlags, 0));
  if (!socket.is_open()) return refusal(what, "socket", errno);
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  if (!bind_to(socket, own)) return refusal(what, "bind", errno);
  if (::listen(socket.get(), SOMAXCONN) != 0) return refusal(what, "listen", errno);
  return socket;
}

Outcome<std::optional<AcceptedHost>> accept_on(const Socket& listener) {
  sockaddr_in from{};
  socklen_t size = sizeof from;
  Socket socket(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&from), &size, kSocketFlags));
  if (!socket.is_open()) {
    // accept() also returns network errors of a connection that has already ended. They are no
    // failure of the listener.
    const bool has_room = errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    if (has_room) return std::optional<AcceptedHost>();
    return refusal("cannot take a connection", "accept4", errno);
  }
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  return std::optional(AcceptedHost{std::move(socket), address_of(from)});
}

Outcome<Socket> connect_to(const TcpAddress& to, std::optional<std::uint32_t> source,
                           TimePoint deadline) {
  std::string what = "cannot connect to " + text_of(to);
  Socket socket(::socket(AF_INET, SOCK_STREAM | kSocketFlags, 0));
  if (!socket.is_open()) return refusal(what, "socket", errno);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (source) {
    what += " from " + text_of(host_id_of(*source));
    set_option(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    if (!bind_to(socket, {*source, 0})) return refusal(what, "bind", errno);
  }
  const sockaddr_in address = system_address(to);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno != EINPROGRESS && errno != EINTR) return refusal(what, "connect", errno);
  if (!wait_for(socket, POLLOUT, deadline)) return Problem{what + ": it does not answer in time"};
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return refusal(what, "connect", error);
  return socket;
}

TcpAddress own_address(const Socket& socket) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return {};
  return address_of(own);
}

void watch_over(const Socket& socket, Nanoseconds silence) {
  constexpr int kProbes = 3;
  const auto whole_seconds = [](Nanoseconds time) {
    return static_cast<int>(
        std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count(), 1));
  };
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, whole_seconds(silence / 2));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, whole_seconds(silence / 2 / kProbes));
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(silence).count()));
}

int milliseconds_until(TimePoint deadline) {
  constexpr std::int64_t kHour = 3'600'000;
  if (deadline == kNever) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - monotonic_now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kHour));
}

bool wait_for(const Socket& socket, short events, TimePoint deadline) {
  pollfd polled{socket.get(), events, 0};
  while (true) {
    const int ready = ::poll(&polled, 1, milliseconds_until(deadline));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the next call on the socket returns the reason
    if (deadline <= monotonic_now()) return false;
  }
}

}  // namespace lintel::mpi::impi
