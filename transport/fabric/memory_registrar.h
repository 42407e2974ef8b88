#pragma once
// MemoryRegistrar: registers memory with the provider, as its MemoryRules ask for it, and draws the
// keys where the provider does not choose them.
//
// A key is all that a write of a peer needs, because libfabric does not tell whose a write is. So a
// key is random: from the keys of its own registrations a peer learns nothing about those of
// others, and a late write to the process that had this port before matches no memory.
//
// Owned by FabricTransport; guarded by its owner's lock.

#include <cstddef>
#include <cstdint>

#include "base/random_numbers.h"
#include "base/result.h"
#include "transport/fabric/handles.h"
#include "transport/fabric/memory_rules.h"

namespace lintel::transport {

class MemoryRegistrar {
 public:
  explicit MemoryRegistrar(const MemoryRules& rules) : rules_(rules) {}

  const MemoryRules& rules() const { return rules_; }

  // `access`: as for OfiMemoryRegion::open(). The memory must outlive the region. Error
  // (kOperation): bad memory, no resources, or nearly all keys of a narrow width are in use.
  Result<OfiMemoryRegion> open(const OfiDomain& domain, const OfiEndpoint& endpoint,
                               const void* memory, std::size_t bytes, std::uint64_t access);

 private:
  MemoryRules rules_;
  RandomNumbers keys_;
};

}  // namespace lintel::transport
