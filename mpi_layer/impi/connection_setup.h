#pragma once
// ConnectionSetup: how the hosts of an IMPI job connect after start-up. Each host connects to all
// hosts of lower ranks and sends its own rank, a number of 32 bits. It accepts the connections of
// all hosts of higher ranks, in any order. Two hosts have one connection, which then carries
// packets only.
//
// Knows no sockets: says to which hosts to connect and from which address, and records which hosts
// are connected. IMPI has no way to verify the rank that a connecting host sends.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

class ConnectionSetup {
 public:
  static constexpr std::size_t kGreetingBytes = 4;

  struct HostToConnect {
    std::uint32_t rank = 0;
    std::uint32_t ipv4 = 0;  // in host byte order
    std::uint16_t port = 0;
  };

  // Fails if the address of a host is not IPv4. REQUIRES: own < layout.hosts.size(). `layout` is
  // not kept.
  static Outcome<ConnectionSetup> of(const JobLayout& layout, std::uint32_t own);

  // The hosts to which this host connects, in this order.
  const std::vector<HostToConnect>& hosts_to_connect() const { return hosts_to_connect_; }
  // The address to bind to before connecting, because other hosts may check that a connection comes
  // from the announced address.
  std::uint32_t own_ipv4() const { return own_ipv4_; }
  // The first bytes that this host sends on each connection that it makes.
  std::string greeting() const;

  // A connection to `host` was made, and greeting() was sent. REQUIRES: `host` is one of
  // hosts_to_connect(), and this is its first connection.
  void connected(std::uint32_t host);
  // Takes the first kGreetingBytes of an accepted connection and returns the rank of the host at
  // its other end. Fails if that rank is not to connect to this host, or is connected already; then
  // the connection is to be closed.
  Outcome<std::uint32_t> accepted(std::string_view greeting);

  // The hosts with which there is no connection yet.
  std::vector<std::uint32_t> missing() const;
  bool is_complete() const { return missing().empty(); }

 private:
  ConnectionSetup(std::uint32_t own, std::size_t hosts) : own_(own), is_connected_(hosts) {}

  std::uint32_t own_;
  std::uint32_t own_ipv4_ = 0;
  std::vector<HostToConnect> hosts_to_connect_;
  std::vector<bool> is_connected_;
};

}  // namespace lintel::mpi::impi
