#pragma once
// Offers of clients for tests: hosts at 10.77.0.x, with processes that have distinct ids.

#include <map>
#include <vector>

#include "mpi_layer/impi/client_offer.h"
#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi::testing {

// 10.77.0.`last`.
inline HostId host_id(std::uint8_t last) { return host_id_of(0x0a4d0000U | last); }

inline HostOffer host_offer(std::uint8_t last, std::vector<std::int64_t> pids) {
  HostOffer host;
  host.address = host_id(last);
  host.port = static_cast<std::uint16_t>(4000 + last);
  for (const std::int64_t pid : pids) host.procs.push_back({host.address, pid});
  return host;
}

inline ClientOffer client_offer(std::vector<HostOffer> hosts) {
  ClientOffer offer;
  offer.hosts = std::move(hosts);
  return offer;
}

// The server's sets for the clients' offers.
inline std::map<Label, LabelSet> sets_of(const std::vector<ClientOffer>& offers) {
  std::map<Label, LabelSet> sets;
  for (const LabelRow& row : labels()) {
    LabelSet& set = sets[row.label];
    set.label = row.label;
    for (std::size_t client = 0; client < offers.size(); ++client) {
      set.mask |= 1U << client;
      set.contributions += contribution(offers[client], row.label);
    }
  }
  return sets;
}

}  // namespace lintel::mpi::impi::testing
