#pragma once
// The networks that there are, and which of them a process uses: sockets of our own over TCP
// (direct/), or a provider of libfabric (fabric/).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "transport/contact/network_options.h"
#include "transport/fabric/fabric_options.h"
#include "transport/transport.h"

namespace lintel::transport {

// Opens the network that options.name names; empty: the best by preference, which is TCP without
// libfabric. Blocks while
// libfabric loads its providers, if it does. `fabric` counts where libfabric carries it.
// Error: Loss::kOperation for an option that cannot be (address, pid, name), else kInterface.
// `explanation`, if given, gets
// a sentence that names the value and what was expected.
Result<std::unique_ptr<Transport>> open_network(const NetworkOptions& options,
                                                const FabricOptions& fabric = {},
                                                std::string* explanation = nullptr);

// What was found out about one network.
struct NetworkReport {
  struct Figure {
    const char* name;
    std::uint64_t value;
  };
  std::string name;
  bool usable = false;  // offers all that is needed
  bool chosen = false;
  std::string reason;  // a sentence: why chosen, why not, or what is missing
  std::vector<Figure> figures;
};

// All that there are, and what open_network() would do with them. For diagnosis.
std::vector<NetworkReport> survey_networks(const NetworkOptions& options);

// Why open_network() would fail; empty if it would not, as far as can be told without doing it.
// Error: the options name no valid address, or libfabric fails.
Result<std::string> obstacle_to_network(const NetworkOptions& options);

}  // namespace lintel::transport
