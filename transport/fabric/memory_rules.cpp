#include "transport/fabric/memory_rules.h"

#include <rdma/fabric.h>

namespace lintel::transport {

MemoryRules memory_rules(const ProviderDescription& provider) {
  MemoryRules rules;
  rules.needs_local_descriptor = (provider.mr_mode & FI_MR_LOCAL) != 0;
  rules.virtual_addresses = (provider.mr_mode & FI_MR_VIRT_ADDR) != 0;
  rules.provider_keys = (provider.mr_mode & FI_MR_PROV_KEY) != 0;
  rules.needs_pages = (provider.mr_mode & FI_MR_ALLOCATED) != 0;
  rules.binds_to_endpoint = (provider.mr_mode & FI_MR_ENDPOINT) != 0;
  if (provider.mr_key_bytes < sizeof(std::uint64_t))
    rules.key_mask = (std::uint64_t{1} << (8 * provider.mr_key_bytes)) - 1;
  return rules;
}

}  // namespace lintel::transport
