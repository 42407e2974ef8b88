#pragma once
// Which provider to use, and why not the others. Pure functions over ProviderDescription: what
// lintel-info prints is what open() does.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "transport/fabric/provider_description.h"

namespace lintel::transport {

// What was found out about one provider that libfabric offers.
struct ProviderReport {
  ProviderDescription description;
  bool usable = false;  // offers all that is needed
  bool chosen = false;
  std::string reason;  // a sentence: why chosen, why not, or what is missing
};

struct ProviderChoice {
  std::optional<std::size_t> chosen;    // index into `reports`
  std::vector<ProviderReport> reports;  // one for each description, in the same order
};

// Empty: usable. Else a sentence that names what is missing, with its value.
std::string missing_from(const ProviderDescription& provider);

// `wanted`: a provider's name, or empty for the best by preference: native TCP, then verbs;ofi_rxm,
// then tcp;ofi_rxm. Others, among them shm, which reaches this machine only, are chosen only by
// name.
ProviderChoice choose_provider(const std::vector<ProviderDescription>& offered,
                               const std::string& wanted);

// "provider "foo" is not offered; offered: net, tcp;ofi_rxm, shm", or why it cannot be used.
// `offered_beside` stands in front of what is. REQUIRES: !choice.chosen.
std::string explain_failure(const ProviderChoice& choice, const std::string& wanted,
                            const std::string& offered_beside = {});

// Largest message to be sent through this provider: over native TCP 64 KiB of data and the headers,
// 16 KiB elsewhere (others switch to a rendezvous above it), or less if the provider's limit is
// lower. Through shared memory no more than it injects: a larger one waits for an answer, and an
// answer that never comes because the peer died blocks all others in 1.17.
std::size_t suitable_message_bytes(const ProviderDescription& provider);

// Largest write to be posted at once: the provider's limit, at most 1 GiB.
std::size_t suitable_write_bytes(const ProviderDescription& provider);

}  // namespace lintel::transport
