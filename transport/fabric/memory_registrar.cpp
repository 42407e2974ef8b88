#include "transport/fabric/memory_registrar.h"

#include <rdma/fi_errno.h>

#include <utility>

namespace lintel::transport {

Result<OfiMemoryRegion> MemoryRegistrar::open(const OfiDomain& domain, const OfiEndpoint& endpoint,
                                              const void* memory, std::size_t bytes,
                                              std::uint64_t access) {
  // The provider refuses a key that another registration has, and the memory is registered again
  // with another key. Among keys of 64 bits this does not happen in practice. Of keys of one byte,
  // the narrowest, 200 may be in use and one more is found in all but 1 of 10^6 cases.
  constexpr int kTries = 64;
  for (int tried = 1;; ++tried) {
    Result<OfiMemoryRegion> opened =
        OfiMemoryRegion::open(domain, memory, bytes, access, rules_.requested_key(keys_.next()));
    if (!opened && opened.error().code() == FI_ENOKEY && tried < kTries && !rules_.provider_keys)
      continue;
    if (opened && rules_.binds_to_endpoint) {
      if (Error error = opened.value().bind_and_enable(endpoint); !error.ok()) return error;
    }
    return opened;
  }
}

}  // namespace lintel::transport
