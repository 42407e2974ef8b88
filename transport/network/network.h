#pragma once
// Chooses and opens the network of a process: TCP sockets (direct/), or a provider of libfabric
// (fabric/).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "transport/contact/network_options.h"
#include "transport/fabric/fabric_options.h"
#include "transport/transport.h"

namespace lintel::transport {

// Opens the network that options.name names. Empty: direct, which is TCP without libfabric. Blocks
// while libfabric loads its providers, if that network needs it. `fabric` applies only to networks
// of libfabric.
// Error: Loss::kOperation for an option that cannot be used (address, pid, name), else kInterface.
// `explanation`, if given, receives a sentence with the value and what was expected.
Result<std::unique_ptr<Transport>> open_network(const NetworkOptions& options,
                                                const FabricOptions& fabric = {},
                                                std::string* explanation = nullptr);

// What is known about one network.
struct NetworkReport {
  struct Figure {
    const char* name;
    std::uint64_t value;
  };
  std::string name;
  bool usable = false;  // offers everything that Lintel needs
  bool chosen = false;
  std::string reason;  // a sentence: why chosen, why not, or what is missing
  std::vector<Figure> figures;
};

// All networks, and what open_network() would do with each. For diagnosis.
std::vector<NetworkReport> survey_networks(const NetworkOptions& options);

// Why open_network() would fail, as far as it can be known without opening it; empty: it would not.
// Error: the options name no valid address, or libfabric fails.
Result<std::string> obstacle_to_network(const NetworkOptions& options);

}  // namespace lintel::transport
