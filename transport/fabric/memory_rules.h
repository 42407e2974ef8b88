#pragma once
// MemoryRules: what a provider's memory registration mode means for us. A pure function of the
// provider's description.
//
// libfabric has two ways to name registered memory (by virtual address, or by offset from its
// start), two ways to choose keys (the provider does, or we do) and asks now and then for a
// registration of local memory too. Every combination is written down here and nowhere else.

#include <cstddef>
#include <cstdint>

#include "transport/fabric/provider_description.h"

namespace lintel::transport {

struct MemoryRules {
  bool needs_local_descriptor = false;         // FI_MR_LOCAL: memory to send from, write from or
                                               // receive into is registered too
  bool virtual_addresses = false;              // FI_MR_VIRT_ADDR: a peer names the byte by our
                                               // virtual address; else by its offset
  bool provider_keys = false;                  // FI_MR_PROV_KEY: the provider chooses; else we do,
                                               // uniquely
  bool needs_pages = false;                    // FI_MR_ALLOCATED: the memory must be backed when it
                                               // is registered (ours always is)
  bool binds_to_endpoint = false;              // FI_MR_ENDPOINT: bound to the endpoint and enabled
                                               // before use
  std::uint64_t key_mask = ~std::uint64_t{0};  // keys of our own must fit in this many bits

  // Remote address of the first byte of a region that starts at `memory` here.
  std::uint64_t remote_base(const void* memory) const {
    return virtual_addresses ? static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory))
                             : 0;
  }
  // What to ask as a key: the counter, cut to the provider's width. Meaningless where the provider
  // chooses.
  std::uint64_t requested_key(std::uint64_t counter) const { return counter & key_mask; }
};

MemoryRules memory_rules(const ProviderDescription& provider);

}  // namespace lintel::transport
