#pragma once
// Decides which provider to use, and says why not the others. Pure functions of
// ProviderDescription: lintel-info prints exactly what open() does.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "transport/fabric/provider_description.h"

namespace lintel::transport {

// What is known about one provider that libfabric offers.
struct ProviderReport {
  ProviderDescription description;
  bool usable = false;  // offers everything that Lintel needs
  bool chosen = false;
  std::string reason;  // a sentence: why chosen, why not, or what is missing
};

struct ProviderChoice {
  std::optional<std::size_t> chosen;    // index into `reports`
  std::vector<ProviderReport> reports;  // one for each description, in the same order
};

// Empty: the provider is usable. Else a sentence that names what is missing, with its value.
std::string missing_from(const ProviderDescription& provider);

// `wanted`: a provider's name. Empty: the first one offered of native TCP, verbs;ofi_rxm,
// tcp;ofi_rxm. All others are chosen only by name, among them shm, which reaches only this machine.
ProviderChoice choose_provider(const std::vector<ProviderDescription>& offered,
                               const std::string& wanted);

// Why nothing was chosen: "provider "foo" is not offered; offered: net, tcp;ofi_rxm, shm", or why
// it cannot be used. `offered_beside` is listed before the offered ones. REQUIRES: !choice.chosen.
std::string explain_failure(const ProviderChoice& choice, const std::string& wanted,
                            const std::string& offered_beside = {});

// The largest message to send through this provider, at most the provider's limit:
//  * native TCP: 64 KiB of data and the headers.
//  * shared memory: no more than it injects. A larger one waits for an answer, and if the peer dies
//    before it answers, that blocks all others in 1.17.
//  * others: 16 KiB, because they switch to a rendezvous above it.
std::size_t suitable_message_bytes(const ProviderDescription& provider);

// The largest write to post at once: the provider's limit, at most 1 GiB.
std::size_t suitable_write_bytes(const ProviderDescription& provider);

}  // namespace lintel::transport
