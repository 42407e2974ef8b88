#include "transport/network/network.h"

#include <utility>

#include "transport/direct/direct_transport.h"
#include "transport/fabric/discovery.h"
#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {
namespace {

bool means_direct(const std::string& wanted) {
  return wanted.empty() || wanted == DirectTransport::kName;
}

template <class Made>
Result<std::unique_ptr<Transport>> as_transport(Result<std::unique_ptr<Made>> opened) {
  if (!opened) return opened.error();
  return std::unique_ptr<Transport>(std::move(opened).value());
}

NetworkReport report_on(std::string name, const ProviderDescription& provider) {
  NetworkReport report;
  report.name = std::move(name);
  report.figures = {{"max_message_bytes", provider.max_message_bytes},
                    {"inject_bytes", provider.inject_bytes},
                    {"iov_limit", provider.iov_limit},
                    {"mr_mode", static_cast<std::uint64_t>(provider.mr_mode)},
                    {"mr_key_bytes", provider.mr_key_bytes},
                    {"cq_data_bytes", provider.cq_data_bytes}};
  return report;
}

NetworkReport report_on_direct(const std::string& wanted) {
  ProviderDescription figures;
  figures.max_message_bytes = DirectTransport::kMaxWriteBytes;
  NetworkReport report = report_on(DirectTransport::kName, figures);
  report.usable = true;
  report.chosen = means_direct(wanted);
  if (wanted.empty()) {
    report.reason = "the first in the order of preference";
  } else {
    report.reason = report.chosen ? "asked for by name" : "\"" + wanted + "\" is asked for by name";
  }
  return report;
}

}  // namespace

Result<std::unique_ptr<Transport>> open_network(const NetworkOptions& options,
                                                const FabricOptions& fabric,
                                                std::string* explanation) {
  if (means_direct(options.name)) return as_transport(DirectTransport::open(options, explanation));
  FabricOptions beside_direct = fabric;
  beside_direct.offered_beside = DirectTransport::kName;
  return as_transport(FabricTransport::open(options, beside_direct, explanation));
}

std::vector<NetworkReport> survey_networks(const NetworkOptions& options) {
  std::vector<NetworkReport> reports{report_on_direct(options.name)};
  const bool direct_chosen = reports.front().chosen;
  for (const ProviderReport& found : survey_providers(options)) {
    NetworkReport report = report_on(found.description.name, found.description);
    const bool in_order = found.chosen || found.reason.ends_with(" is preferred");
    report.usable = found.usable;
    report.chosen = found.chosen && !direct_chosen;
    report.reason = direct_chosen && in_order
                        ? std::string(DirectTransport::kName) + " is preferred"
                        : found.reason;
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<std::string> obstacle_to_network(const NetworkOptions& options) {
  if (means_direct(options.name)) {
    if (const Result<NodeId> nid = parse_node(options.interface_address); !nid) return nid.error();
    return std::string();
  }
  const Result<DiscoveredProvider> found = discover(options);
  if (!found) return found.error();
  return found->selected != nullptr
             ? std::string()
             : explain_failure(found->choice, options.name, DirectTransport::kName);
}

}  // namespace lintel::transport
