#include "mpi_layer/impi/connection_setup.h"

#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {

Outcome<ConnectionSetup> ConnectionSetup::of(const JobLayout& layout, std::uint32_t own) {
  LINTEL_ASSERT(own < layout.hosts.size());
  ConnectionSetup setup(own, layout.hosts.size());
  for (std::uint32_t rank = 0; rank < layout.hosts.size(); ++rank) {
    const JobHost& host = layout.hosts[rank];
    const auto ipv4 = ipv4_of(host.address);
    if (!ipv4)
      return Problem{"host " + std::to_string(rank) + " has the address " + text_of(host.address) +
                     "; expected one of IPv4"};
    if (rank < own) setup.hosts_to_connect_.push_back({rank, *ipv4, host.port});
    if (rank == own) setup.own_ipv4_ = *ipv4;
  }
  return setup;
}

std::string ConnectionSetup::greeting() const {
  std::string bytes;
  append_number(bytes, own_);
  return bytes;
}

void ConnectionSetup::connected(std::uint32_t host) {
  LINTEL_ASSERT(host < own_ && !is_connected_[host]);
  is_connected_[host] = true;
}

Outcome<std::uint32_t> ConnectionSetup::accepted(std::string_view greeting) {
  LINTEL_ASSERT(greeting.size() == kGreetingBytes);
  const auto host = number_at<std::uint32_t>(greeting, 0);
  if (host <= own_ || host >= is_connected_.size()) {
    return Problem{"a connection says that it is from host " + std::to_string(host) +
                   "; expected one above " + std::to_string(own_) + " and below " +
                   std::to_string(is_connected_.size())};
  }
  if (is_connected_[host])
    return Problem{"a connection says that it is from host " + std::to_string(host) +
                   ", which has called already"};
  is_connected_[host] = true;
  return host;
}

std::vector<std::uint32_t> ConnectionSetup::missing() const {
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t host = 0; host < is_connected_.size(); ++host) {
    if (host != own_ && !is_connected_[host]) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace lintel::mpi::impi
