#include "mpi_layer/impi/sockets/connecting.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/log.h"
#include "mpi_layer/impi/connection_setup.h"

namespace lintel::mpi::impi {
namespace {

// The accepted connections that have not sent their rank yet.
class AcceptedConnections {
 public:
  AcceptedConnections(ConnectionSetup& setup, Socket listener, std::vector<Socket>& sockets)
      : setup_(setup),
        listener_(std::move(listener)),
        own_(own_address(listener_)),
        sockets_(sockets) {}
  ~AcceptedConnections() {
    for (UnknownConnection& connection : unknown_)
      refuse(connection, "it has not said which host it is");
  }
  AcceptedConnections(const AcceptedConnections&) = delete;
  AcceptedConnections& operator=(const AcceptedConnections&) = delete;

  const TcpAddress& own() const { return own_; }

  // Waits for connections and ranks, and handles them.
  Outcome<> serve(TimePoint deadline) {
    std::vector<pollfd> polled{{listener_.get(), POLLIN, 0}};
    for (const UnknownConnection& connection : unknown_)
      polled.push_back({connection.accepted.socket.get(), POLLIN, 0});
    const int ready = ::poll(polled.data(), polled.size(), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) return Problem{"poll: " + std::string(std::strerror(errno))};
    if (ready <= 0) return {};
    for (std::size_t i = 0; i < unknown_.size(); ++i) {
      if (polled[i + 1].revents != 0) read_rank(unknown_[i]);
    }
    std::erase_if(unknown_, [](const UnknownConnection& connection) {
      return !connection.accepted.socket.is_open();
    });
    return polled[0].revents != 0 ? accept_one() : Outcome<>();
  }

 private:
  struct UnknownConnection {
    AcceptedHost accepted;
    std::string received{};
  };

  Outcome<> accept_one() {
    Outcome<std::optional<AcceptedHost>> accepted = accept_on(listener_);
    if (!accepted) return accepted.failure();
    if (!*accepted) return {};
    if (unknown_.size() == kMaxUnknownConnections) {
      refuse(unknown_.front(), "it has not said which host it is, and there are many like it");
      unknown_.erase(unknown_.begin());
    }
    unknown_.push_back({std::move(**accepted)});
    return {};
  }

  // Reads no byte more than the rank, because packets follow.
  void read_rank(UnknownConnection& connection) {
    std::array<char, ConnectionSetup::kGreetingBytes> bytes;
    const ssize_t got = ::recv(connection.accepted.socket.get(), bytes.data(),
                               bytes.size() - connection.received.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0)
      return refuse(connection,
                    std::string("its connection has ended: recv: ") + std::strerror(errno));
    if (got == 0)
      return refuse(connection, "it closed its connection before it said which host it is");
    connection.received.append(bytes.data(), static_cast<std::size_t>(got));
    if (connection.received.size() < ConnectionSetup::kGreetingBytes) return;
    Outcome<std::uint32_t> host = setup_.accepted(connection.received);
    if (!host) return refuse(connection, host.sentence());
    sockets_[*host] = std::move(connection.accepted.socket);
  }

  void refuse(UnknownConnection& connection, const std::string& why) {
    LINTEL_LOG(kWarn, "impi: the connection from %s to %s was closed: %s",
               text_of(connection.accepted.address).c_str(), text_of(own_).c_str(), why.c_str());
    connection.accepted.socket.close();
  }

  ConnectionSetup& setup_;
  Socket listener_;
  TcpAddress own_;
  std::vector<Socket>& sockets_;
  std::vector<UnknownConnection> unknown_;
};

// Connects and sends the rank of this host. A new connection has room for it.
Outcome<Socket> connect_host(const ConnectionSetup::HostToConnect& host,
                             const ConnectionSetup& setup, TimePoint deadline) {
  Outcome<Socket> socket = connect_to({host.ipv4, host.port}, setup.own_ipv4(), deadline);
  if (!socket) return socket.failure();
  const std::string greeting = setup.greeting();
  if (::send(socket->get(), greeting.data(), greeting.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(greeting.size()))
    return Problem{std::string("its connection has ended: send: ") + std::strerror(errno)};
  return socket;
}

}  // namespace

Outcome<std::vector<Socket>> connect_hosts(const JobLayout& layout, std::uint32_t own,
                                           Socket listener, TimePoint deadline) {
  Outcome<ConnectionSetup> setup = ConnectionSetup::of(layout, own);
  if (!setup) return setup.failure();
  std::vector<Socket> sockets(layout.hosts.size());
  for (const ConnectionSetup::HostToConnect& host : setup->hosts_to_connect()) {
    Outcome<Socket> socket = connect_host(host, *setup, deadline);
    if (!socket) return Problem{text_of_host(layout, host.rank) + ": " + socket.sentence()};
    setup->connected(host.rank);
    sockets[host.rank] = std::move(*socket);
  }
  AcceptedConnections connections(*setup, std::move(listener), sockets);
  while (!setup->is_complete()) {
    if (Outcome<> served = connections.serve(deadline); !served) return served.failure();
    if (setup->is_complete() || monotonic_now() < deadline) continue;
    return Problem{text_of_host(layout, setup->missing().front()) + " has not connected to " +
                   text_of(connections.own()) + " in time"};
  }
  return sockets;
}

}  // namespace lintel::mpi::impi
