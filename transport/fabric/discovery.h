#pragma once
// Asks libfabric for its providers. The only file that calls fi_getinfo. What is decided from the
// answers is in provider_choice.h.

#include <string>
#include <vector>

#include "transport/contact/network_options.h"
#include "transport/fabric/handles.h"
#include "transport/fabric/provider_choice.h"

namespace lintel::transport {

// The provider that open() will use, and the offers from which it was chosen.
struct DiscoveredProvider {
  OfiInfo info;                  // the list that contains `selected`
  fi_info* selected = nullptr;   // nullptr: none was chosen
  bool placed_messages = false;  // it supports placed messages
  ProviderChoice choice;
};

// Blocks while libfabric loads its providers (first call in a process; some milliseconds). Error:
// the options name no valid address, or libfabric itself fails. A provider that is not offered is
// no error: see choice.
Result<DiscoveredProvider> discover(const NetworkOptions& options);

// Every provider that libfabric offers with a datagram endpoint, and what choose_provider() decides
// about it. For diagnosis.
std::vector<ProviderReport> survey_providers(const NetworkOptions& options);

}  // namespace lintel::transport
