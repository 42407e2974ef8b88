#pragma once
// The transports for real networks, and which of them a process uses: sockets of our own over TCP (direct/), or a provider of libfabric (fabric/).

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "transport/fabric/fabric_options.h"
#include "transport/fabric/provider_choice.h"
#include "transport/transport.h"

namespace lintel::transport {

// Opens the one that options.provider names; empty: the best by preference, which is TCP without libfabric. Blocks while libfabric loads its providers, if it does.
// Error and `explanation`: as FabricTransport::open().
Result<std::unique_ptr<Transport>> open_network(const FabricOptions& options, std::string* explanation = nullptr);

// All that there are, and what open_network() would do with them. For diagnosis.
std::vector<ProviderReport> survey_networks(const FabricOptions& options);

// Why open_network() would fail; empty if it would not, as far as can be told without doing it. Error: the options name no valid address, or libfabric fails.
Result<std::string> obstacle_to_network(const FabricOptions& options);

}  // namespace lintel::transport
