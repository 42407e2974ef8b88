#pragma once
// MemoryRules: what a provider's memory registration mode demands of the transport. A pure function
// of the provider's description.
//
// libfabric has two ways to address registered memory (by virtual address, or by offset from its
// start) and two ways to choose keys (the provider does, or the user does). Some providers also ask
// for a registration of local memory. All combinations are decided here and nowhere else.

#include <cstddef>
#include <cstdint>

#include "transport/fabric/provider_description.h"

namespace lintel::transport {

struct MemoryRules {
  // FI_MR_LOCAL: the memory of sends, write sources and receives is also registered.
  bool needs_local_descriptor = false;
  // FI_MR_VIRT_ADDR: a peer addresses a byte by its virtual address; else by its offset.
  bool virtual_addresses = false;
  bool provider_keys = false;  // FI_MR_PROV_KEY: the provider chooses keys; else the transport does
  // FI_MR_ALLOCATED: memory must be backed when it is registered (ours always is).
  bool needs_pages = false;
  // FI_MR_ENDPOINT: a region is bound to the endpoint and enabled before use.
  bool binds_to_endpoint = false;
  // Keys that the transport chooses must fit into these bits.
  std::uint64_t key_mask = ~std::uint64_t{0};

  // The remote address of the first byte of a region that starts at `memory`.
  std::uint64_t remote_base(const void* memory) const {
    return virtual_addresses ? static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory))
                             : 0;
  }
  // The key to request: the number, cut to the provider's width. Without meaning if the provider
  // chooses.
  std::uint64_t requested_key(std::uint64_t number) const { return number & key_mask; }
};

MemoryRules memory_rules(const ProviderDescription& provider);

}  // namespace lintel::transport
