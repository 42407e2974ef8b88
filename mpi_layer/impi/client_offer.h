#pragma once
// ClientOffer: what one job brings into an IMPI job: its hosts with their processes, and its bounds
// and wishes.

#include <cstdint>
#include <string>
#include <vector>

#include "mpi_layer/impi/host_id.h"
#include "mpi_layer/impi/label.h"

namespace lintel::mpi::impi {

inline constexpr std::int32_t kNoWish = -1;  // the others, or the specification's default, decide

struct HostOffer {
  HostId address;
  std::uint16_t port = 0;       // it listens there before the offer is made
  std::uint32_t ackmark = 10;   // an acknowledgement after so many packets, and
  std::uint32_t hiwater = 20;   // no more than so many without: what LAM has
  std::vector<ProcId> procs{};  // in the order of their ranks
};

struct ClientOffer {
  std::uint32_t data_length = 65536;  // of one packet, in bytes
  std::int32_t tag_upper_bound = INT32_MAX;
  std::int32_t crossover_size = kNoWish;  // of collectives, in bytes
  std::int32_t max_linear = kNoWish;
  std::vector<HostOffer> hosts{};
};

// What the client contributes to `label`, one of labels(): elements one after the other as IMPI
// writes them.
std::string contribution(const ClientOffer& offer, Label label);

}  // namespace lintel::mpi::impi
