#pragma once
// World: all processes of a job as each of them knows them after start-up. A value.

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "mpi_layer/bootstrap/business_card.h"
#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {

struct World {
  std::uint32_t rank = 0;
  std::vector<ProcessId> processes;  // by rank
  std::vector<bool> on_this_node;    // by rank: whether it runs on the node of this process
  JobSecret secret;                  // the same in all ranks: all parts combined

  std::uint32_t size() const { return static_cast<std::uint32_t>(processes.size()); }
};

// Exchanges `own` with the cards of all ranks of the launcher's job, and makes the world of them.
// Collective; blocks until all ranks have called it. `own` describes the interface that this
// process has opened. Fails with the same sentence in every rank if a card is malformed, if two
// ranks differ in the version of Lintel, of the wire protocol, or in the provider, if two ranks
// have the same id, or if a rank on another node listens on loopback. Fails in this rank alone if
// the launcher fails.
Outcome<World> open_world(Launcher& launcher, const BusinessCard& own);

// The same without a launcher: the world of these cards as `rank` sees it. REQUIRES: rank <
// cards.size().
Outcome<World> make_world(std::uint32_t rank, const std::vector<std::string>& cards);

}  // namespace lintel::mpi
