#pragma once
// ServerSockets: an impi::Server on TCP: one listening socket on one address, one connection for
// each client.
//
// Carries bytes, times and ends of connections to the server's state machine, and out what it
// decides. Nothing waits but poll(), so no connection holds up another; what a slow reader has not
// taken yet is kept, one copy for all. One thread.

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
  // Listens. Throws run::Failure when that is not possible. Borrows `server`.
  ServerSockets(mpi::impi::Server& server, const std::string& address, std::uint16_t port,
                bool is_verbose);

  // "127.0.0.1:4711", where clients connect to.
  const std::string& address() const { return address_; }

  // Serves until the server is over.
  void run();

 private:
  using Connection = mpi::impi::Server::Connection;
  struct Link {
    mpi::impi::Socket socket;
    std::deque<std::shared_ptr<const std::string>> outgoing;
    std::size_t sent = 0;  // of the first of them
  };

  void serve();
  void accept_one();
  void read_some(Connection connection, Link& link);
  void write_some(Connection connection, Link& link);
  void carry_out();

  mpi::impi::Server& server_;
  bool is_verbose_;
  mpi::impi::Socket listener_;
  std::string address_;
  std::map<Connection, Link> links_;
};

}  // namespace lintel::impi_server
