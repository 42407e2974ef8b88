#include "transport/fabric/provider_choice.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>

namespace lintel::transport {
namespace {

constexpr std::size_t kImmediateBytes = 4;
// What the layers above send in one message at least.
constexpr std::size_t kLeastMessageBytes = 1024;

struct NamedBit {
  std::uint64_t bit;
  const char* meaning;
};

constexpr NamedBit kNeededCapabilities[] = {
    {FI_MSG, "messages (FI_MSG)"},
    {FI_SEND, "sending (FI_SEND)"},
    {FI_RECV, "receiving (FI_RECV)"},
    {FI_RMA, "writes into remote memory (FI_RMA)"},
    {FI_WRITE, "writing (FI_WRITE)"},
    {FI_REMOTE_WRITE, "being written to (FI_REMOTE_WRITE)"},
    {FI_MULTI_RECV, "receive buffers for many messages (FI_MULTI_RECV)"},
};

constexpr std::uint64_t kKnownModes = FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA;
// FI_BUFFERED_RECV and FI_ASYNC_IOV are offers and demand nothing of a user that ignores them.
#ifdef FI_BUFFERED_RECV
constexpr std::uint64_t kBufferedReceive = FI_BUFFERED_RECV;
#else
constexpr std::uint64_t kBufferedReceive = 0;  // libfabric 2 has no such mode
#endif
constexpr std::uint64_t kHarmlessModes =
    kBufferedReceive | FI_ASYNC_IOV | FI_RESTRICTED_COMP | FI_NOTIFY_FLAGS_ONLY;
constexpr int kKnownMrModes =
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
// "basic" and "scalable", which the other bits have replaced and libfabric 2 no longer has.
constexpr int kOldMrModes = (1 << 0) | (1 << 1);

std::string hex(std::uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[number & 15U]);
    number >>= 4;
  } while (number != 0);
  return "0x" + text;
}

// The place in the order of preference; nullopt: chosen by name only.
std::optional<int> preference(const ProviderDescription& provider) {
  if (is_native_tcp(provider)) return 0;
  if (provider.name == "verbs;ofi_rxm") return 1;
  if (provider.name == "tcp;ofi_rxm") return 2;
  return std::nullopt;
}

}  // namespace

std::string missing_from(const ProviderDescription& p) {
  if (!p.reliable_datagram) return "it offers no reliable datagram endpoint (FI_EP_RDM)";
  if (!p.socket_addresses && !is_shared_memory(p)) return "its addresses are not IPv4 addresses";
  for (const NamedBit& needed : kNeededCapabilities) {
    if ((p.capabilities & needed.bit) == 0)
      return std::string("it does not offer ") + needed.meaning;
  }
  if (const std::uint64_t unknown = p.mode & ~(kKnownModes | kHarmlessModes); unknown != 0) {
    return "it demands a mode of operation that is not supported (mode bits " + hex(unknown) + ")";
  }
  if ((p.mr_mode & kOldMrModes) != 0) {
    return "it registers memory in an old way, basic or scalable (mr_mode " +
           hex(static_cast<std::uint64_t>(p.mr_mode & kOldMrModes)) + ")";
  }
  if (const int unknown = p.mr_mode & ~kKnownMrModes; unknown != 0) {
    return "it demands a way of memory registration that is not supported (mr_mode bits " +
           hex(static_cast<std::uint64_t>(unknown)) + ")";
  }
  if (p.mr_key_bytes == 0 || p.mr_key_bytes > sizeof(std::uint64_t)) {
    return "its memory keys have " + std::to_string(p.mr_key_bytes) +
           " bytes; 1 to 8 are supported";
  }
  if (p.cq_data_bytes < kImmediateBytes) {
    return "a write carries " + std::to_string(p.cq_data_bytes) +
           " bytes of completion data; at least 4 are needed";
  }
  if ((p.send_order & FI_ORDER_SAS) == 0 || (p.receive_order & FI_ORDER_SAS) == 0) {
    return "it does not keep the order of messages (FI_ORDER_SAS)";
  }
  if (const std::size_t largest = suitable_message_bytes(p); largest < kLeastMessageBytes) {
    return "its largest message has " + std::to_string(largest) + " bytes; at least " +
           std::to_string(kLeastMessageBytes) + " are needed";
  }
  if (p.iov_limit == 0 || p.rma_iov_limit == 0)
    return "it takes no data vector at all (iov_limit 0)";
  return {};
}

ProviderChoice choose_provider(const std::vector<ProviderDescription>& offered,
                               const std::string& wanted) {
  ProviderChoice choice;
  bool exact = false;
  std::optional<int> best;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const ProviderDescription& p = offered[i];
    ProviderReport report{p, false, false, missing_from(p)};
    report.usable = report.reason.empty();
    if (report.usable) {
      if (wanted.empty()) {
        const std::optional<int> place = preference(p);
        if (place && (!best || *place < *best)) {
          best = place;
          choice.chosen = i;
        }
      } else if (means(wanted, p.name) && (!choice.chosen || (!exact && p.name == wanted))) {
        exact = p.name == wanted;
        choice.chosen = i;
      }
    }
    choice.reports.push_back(std::move(report));
  }
  const std::string chosen_name = choice.chosen ? offered[*choice.chosen].name : std::string();
  for (std::size_t i = 0; i < choice.reports.size(); ++i) {
    ProviderReport& report = choice.reports[i];
    if (!report.usable) continue;
    if (choice.chosen && i == *choice.chosen) {
      report.chosen = true;
      report.reason = wanted.empty() ? "the first in the order of preference" : "asked for by name";
    } else if (!wanted.empty() && !means(wanted, report.description.name)) {
      report.reason = "\"" + wanted + "\" is asked for by name";
    } else if (report.description.name == chosen_name) {
      report.reason = "the same provider is chosen above";
    } else if (wanted.empty() && is_shared_memory(report.description)) {
      report.reason = "reaches this machine only: chosen only by name";
    } else if (wanted.empty() && !preference(report.description)) {
      report.reason = "not tried with Lintel: chosen only by name";
    } else {
      report.reason = chosen_name + " is preferred";
    }
  }
  return choice;
}

std::string explain_failure(const ProviderChoice& choice, const std::string& wanted,
                            const std::string& offered_beside) {
  std::string names = offered_beside;
  for (const ProviderReport& report : choice.reports) {
    if (!wanted.empty() && means(wanted, report.description.name)) {
      return "provider \"" + wanted + "\" cannot be used: " + report.reason;
    }
    if (!report.usable || names.find(report.description.name) != std::string::npos) continue;
    if (!names.empty()) names += ", ";
    names += report.description.name;
  }
  if (names.empty()) names = "none that can be used";
  if (wanted.empty())
    return "libfabric offers no provider that is chosen unasked (net, tcp, verbs;ofi_rxm, "
           "tcp;ofi_rxm); offered: " +
           names;
  return "provider \"" + wanted + "\" is not offered; offered: " + names;
}

std::size_t suitable_message_bytes(const ProviderDescription& provider) {
  const std::size_t wish =
      is_native_tcp(provider) ? std::size_t{68} * 1024 : std::size_t{16} * 1024;
  const std::size_t limit =
      is_shared_memory(provider) ? provider.inject_bytes : provider.max_message_bytes;
  return std::min(wish, limit);
}

std::size_t suitable_write_bytes(const ProviderDescription& provider) {
  // Each write that ends counts as an answer of the peer, see Transport::note_progress(). With 16
  // MiB, a peer stays within a deadline of 10 s at 1.6 MB/s.
  constexpr std::size_t kMost = std::size_t{16} << 20;
  return std::min(provider.max_message_bytes, kMost);
}

}  // namespace lintel::transport
