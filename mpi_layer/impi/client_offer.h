#pragma once
// ClientOffer: what one job contributes to an IMPI job: its hosts with their processes, its bounds
// and its preferences.

#include <cstdint>
#include <string>
#include <vector>

#include "mpi_layer/impi/host_id.h"
#include "mpi_layer/impi/label.h"

namespace lintel::mpi::impi {

inline constexpr std::int32_t kNoPreference = -1;  // no preference: others, or the default, decide

struct HostOffer {
  HostId address;
  std::uint16_t port = 0;       // the host listens there before it makes the offer
  std::uint32_t ackmark = 10;   // packets until an acknowledgement is sent
  std::uint32_t hiwater = 20;   // most packets without one; both values are LAM's
  std::vector<ProcId> procs{};  // in the order of their ranks
};

struct ClientOffer {
  std::uint32_t data_length = 65536;  // of one packet, in bytes
  std::int32_t tag_upper_bound = INT32_MAX;
  std::int32_t crossover_size = kNoPreference;  // of collectives, in bytes
  std::int32_t max_linear = kNoPreference;
  std::vector<HostOffer> hosts{};
};

// The client's contribution to `label`, one of labels(): its elements in IMPI's encoding.
std::string contribution(const ClientOffer& offer, Label label);

}  // namespace lintel::mpi::impi
