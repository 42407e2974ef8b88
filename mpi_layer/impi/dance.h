#pragma once
// Dance: how the hosts of an IMPI job connect after start-up ("shall we dance"): each calls those
// of lower ranks and says its own rank, one number of 32 bits; each is called by those of higher
// ranks, in any order. One connection joins two hosts, and from then on carries packets only.
//
// Knows no sockets: says whom to call, from which address, and who has called. What a caller says
// is a claim; IMPI has nothing to prove it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

class Dance {
 public:
  static constexpr std::size_t kGreetingBytes = 4;

  struct Call {
    std::uint32_t host = 0;
    std::uint32_t ipv4 = 0;  // in host byte order
    std::uint16_t port = 0;
  };

  // Fails when a host's address is not of IPv4. REQUIRES: own < layout.hosts.size(). `layout` is
  // not kept.
  static Outcome<Dance> of(const JobLayout& layout, std::uint32_t own);

  // Whom this host calls, in this order.
  const std::vector<Call>& calls() const { return calls_; }
  // The address to bind to before calling: others may know a caller by the address that it has
  // announced.
  std::uint32_t own_ipv4() const { return own_ipv4_; }
  // What this host says first on each connection that it has made.
  std::string greeting() const;

  // A connection that was made to `host` is up, and greeting() has been said. REQUIRES: it is one
  // of calls(), the first time.
  void called(std::uint32_t host);
  // The first kGreetingBytes of a connection from outside: the rank of the host that it comes from.
  // Fails, and that connection is to be closed, for a rank that does not call this host, or has
  // called.
  Outcome<std::uint32_t> greeted(std::string_view greeting);

  // The hosts with which there is no connection yet.
  std::vector<std::uint32_t> missing() const;
  bool is_complete() const { return missing().empty(); }

 private:
  Dance(std::uint32_t own, std::size_t hosts) : own_(own), is_connected_(hosts) {}

  std::uint32_t own_;
  std::uint32_t own_ipv4_ = 0;
  std::vector<Call> calls_;
  std::vector<bool> is_connected_;
};

}  // namespace lintel::mpi::impi
