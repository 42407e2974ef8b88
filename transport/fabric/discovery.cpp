#include "transport/fabric/discovery.h"

#include <arpa/inet.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "transport/address/address.h"
#include "transport/fabric/provider_signals.h"

namespace lintel::transport {
namespace {

constexpr std::uint32_t kApiVersion = FI_VERSION(1, 17);

// The provider with which placed messages are known to work. They depend on how it cancels
// receives, and on its leaving a message that matches no receive in the socket.
constexpr const char* kPlacesPayloads = "net";

enum class Strictness { kWhatWeNeed, kPlacementToo, kAnything };

bool is_shared_memory_name(const std::string& provider) { return provider == "shm"; }

// Asks for what is needed and nothing more, because each capability may make a provider slower. The
// modes are those that we can fulfil; the answer says which the provider demands. nullptr: no
// memory.
fi_info* make_hints(const std::string& provider, Strictness strictness) {
  fi_info* hints = fi_allocinfo();
  if (hints == nullptr) return nullptr;
  hints->ep_attr->type = FI_EP_RDM;
  hints->mode = FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  if (strictness != Strictness::kAnything) {
    hints->caps = FI_MSG | FI_SEND | FI_RECV | FI_RMA | FI_WRITE | FI_REMOTE_WRITE | FI_MULTI_RECV;
    if (strictness == Strictness::kPlacementToo) hints->caps |= FI_TAGGED | FI_DIRECTED_RECV;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  } else {
    hints->mode = ~std::uint64_t{0};
    hints->domain_attr->mr_mode = ~((1 << 0) | (1 << 1));
  }
  if (!provider.empty()) hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  return hints;
}

// The address to listen on. Port 0: any free one.
bool set_source(fi_info& hints, const sockaddr_in& address) {
  hints.addr_format = FI_SOCKADDR_IN;
  hints.src_addr = std::malloc(sizeof address);
  if (hints.src_addr == nullptr) return false;
  std::memcpy(hints.src_addr, &address, sizeof address);
  hints.src_addrlen = sizeof address;
  return true;
}

// ofi_rxm looks for callers every 10 ms, and libfabric 2.1 accepts few then: a first contact takes
// tens of milliseconds, and a crowd of strangers keeps everybody out. libfabric reads the settings
// of providers from the environment, when a process asks for the first time. What the user has set
// stays.
void let_rxm_accept_often() { ::setenv("FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100", 0); }  // in us

// The offers of libfabric; an empty list if there are none.
Result<OfiInfo> ask(const fi_info& hints) {
  let_rxm_accept_often();
  fi_info* list = nullptr;
  const SignalDispositions before;
  const int status = fi_getinfo(kApiVersion, nullptr, nullptr, 0, &hints, &list);
  before.give_back();
  if (status == -FI_ENODATA) return OfiInfo();
  if (status == -FI_ENOSYS)
    return Error{Loss::kInterface, "fi_getinfo", "libfabric is older than 1.17", -status};
  if (status != 0)
    return Error{Loss::kInterface, "fi_getinfo", "libfabric cannot say what it offers", -status};
  return OfiInfo(list);
}

Result<sockaddr_in> listening_address(const NetworkOptions& options) {
  const Result<NodeId> nid = parse_node(options.interface_address);
  if (!nid) return nid.error();
  if (Error error = check_port_base(options.port_base); !error.ok()) return error;
  if (options.pid != kAnyPid)
    return socket_address_of({nid.value(), options.pid}, options.port_base);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(nid->value);
  return address;
}

// The offers of `provider` (empty: of all). Shared memory is asked without an address: its own kind
// of address, a string, is set when the endpoint is opened.
Result<OfiInfo> offers(const std::string& provider, const sockaddr_in& address,
                       Strictness strictness) {
  const OfiInfo hints(make_hints(provider, strictness));
  if (hints.raw() == nullptr)
    return Error{Loss::kInterface, "fi_allocinfo", "out of memory", FI_ENOMEM};
  if (is_shared_memory_name(provider)) {
    hints.raw()->addr_format = FI_ADDR_STR;
  } else if (!set_source(*hints.raw(), address)) {
    return Error{Loss::kInterface, "fi_getinfo", "out of memory", FI_ENOMEM};
  }
  return ask(*hints.raw());
}

void append_descriptions(const OfiInfo& info, std::vector<ProviderDescription>& into) {
  for (const fi_info* offer = info.raw(); offer != nullptr; offer = offer->next)
    into.push_back(describe(*offer));
}

bool listed(const std::vector<ProviderDescription>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const ProviderDescription& d) { return d.name == name; });
}

// Adds the offers of `more` whose name is not in the list yet, one for each name.
void append_new(std::vector<ProviderDescription>& list,
                const std::vector<ProviderDescription>& more) {
  for (const ProviderDescription& d : more) {
    if (!listed(list, d.name)) list.push_back(d);
  }
}

// libfabric 1.17 names its native datagrams over TCP "net"; 1.18 and later name them "tcp". Both
// names work with each version.
std::string name_here(const std::string& provider) {
  return provider == "net" && FI_VERSION_GE(fi_version(), FI_VERSION(1, 18)) ? "tcp" : provider;
}

// The offer of the same provider with the capabilities that placed messages need.
void ask_for_placement(const sockaddr_in& address, DiscoveredProvider& found) {
  Result<OfiInfo> info = offers(kPlacesPayloads, address, Strictness::kPlacementToo);
  if (!info || info->raw() == nullptr) return;
  found.info = std::move(info).value();
  found.selected = found.info.raw();
  found.placed_messages = true;
}

}  // namespace

Result<DiscoveredProvider> discover(const NetworkOptions& options) {
  const Result<sockaddr_in> address = listening_address(options);
  if (!address) return address.error();
  const std::string wanted = name_here(options.name);
  Result<OfiInfo> info = offers(wanted, address.value(), Strictness::kWhatWeNeed);
  if (!info) return info.error();

  DiscoveredProvider found;
  found.info = std::move(info).value();
  std::vector<ProviderDescription> descriptions;
  append_descriptions(found.info, descriptions);
  found.choice = choose_provider(descriptions, wanted);
  if (found.choice.chosen) {
    found.selected = found.info.raw();
    for (std::size_t i = 0; i < *found.choice.chosen; ++i) found.selected = found.selected->next;
    if (descriptions[*found.choice.chosen].name == kPlacesPayloads)
      ask_for_placement(address.value(), found);
  } else {
    found.choice.reports = survey_providers(options);  // for the error message
  }
  return found;
}

std::vector<ProviderReport> survey_providers(const NetworkOptions& options) {
  const Result<sockaddr_in> address = listening_address(options);
  std::vector<ProviderDescription> descriptions;
  for (const Strictness strictness : {Strictness::kWhatWeNeed, Strictness::kAnything}) {
    for (const char* provider : {"", "shm"}) {
      const Result<OfiInfo> info =
          offers(provider, address ? address.value() : sockaddr_in{}, strictness);
      if (!info) continue;
      std::vector<ProviderDescription> found;
      append_descriptions(info.value(), found);
      append_new(descriptions, found);
    }
  }
  return choose_provider(descriptions, options.name).reports;
}

}  // namespace lintel::transport
