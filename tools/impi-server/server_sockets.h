#pragma once
// ServerSockets: an impi::Server on TCP: one listening socket on one address, one connection for
// each client.
//
// Passes bytes, times and ends of connections to the server's state machine, and sends what it
// decides. Only poll() waits, so that no connection delays another. Bytes that a slow reader has
// not taken are kept in one copy for all. One thread.

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpi_layer/impi/server.h"
#include "mpi_layer/impi/sockets/tcp_socket.h"

namespace lintel::impi_server {

class ServerSockets {
 public:
  // Listens. Throws run::RunFailure if that is not possible. Borrows `server`.
  ServerSockets(mpi::impi::Server& server, const std::string& address, std::uint16_t port,
                bool is_verbose);

  // The address to which clients connect, such as "127.0.0.1:4711".
  const std::string& address() const { return address_; }

  // Serves until the server is over.
  void run();

 private:
  using ConnectionId = mpi::impi::Server::ConnectionId;
  struct ClientLink {
    mpi::impi::Socket socket;
    std::deque<std::shared_ptr<const std::string>> outgoing;
    std::size_t sent = 0;  // bytes of the first of them that were sent
  };

  void serve();
  void accept_one();
  void read_some(ConnectionId connection, ClientLink& link);
  void write_some(ConnectionId connection, ClientLink& link);
  void carry_out();

  mpi::impi::Server& server_;
  bool is_verbose_;
  mpi::impi::Socket listener_;
  std::string address_;
  std::map<ConnectionId, ClientLink> links_;
};

}  // namespace lintel::impi_server
