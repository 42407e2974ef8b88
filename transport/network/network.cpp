#include "transport/network/network.h"

#include <utility>

#include "transport/direct/direct_transport.h"
#include "transport/fabric/discovery.h"
#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {
namespace {

bool means_direct(const std::string& wanted) { return wanted.empty() || wanted == DirectTransport::kName; }

DirectOptions direct_options(const FabricOptions& options) {
  DirectOptions direct;
  direct.interface_address = options.interface_address;
  direct.pid = options.pid;
  direct.port_base = options.port_base;
  direct.send_frames = options.send_frames;
  direct.max_writes = options.max_writes;
  if (options.max_message_bytes != 0) direct.max_message_bytes = options.max_message_bytes;
  direct.connect_timeout = options.connect_timeout;
  return direct;
}

FabricOptions beside_direct(FabricOptions options) {
  options.offered_beside = DirectTransport::kName;
  return options;
}

template <class Made>
Result<std::unique_ptr<Transport>> as_transport(Result<std::unique_ptr<Made>> opened) {
  if (!opened) return opened.error();
  return std::unique_ptr<Transport>(std::move(opened).value());
}

}  // namespace

Result<std::unique_ptr<Transport>> open_network(const FabricOptions& options, std::string* explanation) {
  if (means_direct(options.provider)) return as_transport(DirectTransport::open(direct_options(options), explanation));
  return as_transport(FabricTransport::open(beside_direct(options), explanation));
}

std::vector<ProviderReport> survey_networks(const FabricOptions& options) {
  ProviderReport direct;
  direct.description.name = DirectTransport::kName;
  direct.description.max_message_bytes = DirectTransport::kMaxWriteBytes;
  direct.usable = true;
  direct.chosen = means_direct(options.provider);
  const std::string by_name = "\"" + options.provider + "\" is asked for by name";
  direct.reason = options.provider.empty() ? "the first in the order of preference" : direct.chosen ? "asked for by name" : by_name;
  std::vector<ProviderReport> reports{direct};
  for (ProviderReport report : survey_providers(options)) {
    const bool in_order = report.chosen || report.reason.ends_with(" is preferred");
    if (direct.chosen && in_order) report.reason = direct.description.name + " is preferred";
    report.chosen = report.chosen && !direct.chosen;
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<std::string> obstacle_to_network(const FabricOptions& options) {
  if (means_direct(options.provider)) {
    if (const Result<NodeId> nid = parse_node(options.interface_address); !nid) return nid.error();
    return std::string();
  }
  const FabricOptions asked = beside_direct(options);
  const Result<DiscoveredProvider> found = discover(asked);
  if (!found) return found.error();
  return found->selected != nullptr ? std::string() : explain_failure(found->choice, asked.provider, asked.offered_beside);
}

}  // namespace lintel::transport
