#pragma once
// RegisteredMemory: the registrations that the owner of a FabricTransport has made, by their ids.
//
// Owned by FabricTransport, which destroys it before the domain; guarded by its owner's lock.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "transport/fabric/handles.h"
#include "transport/transport.h"

namespace lintel::transport {

class RegisteredMemory {
 public:
  // `base`: the remote address of the first byte.
  Registration add(OfiMemoryRegion region, std::uint64_t base) {
    const Registration made{next_++, region.key(), base};
    regions_.emplace(made.id, std::move(region));
    return made;
  }
  // Ends the registration. Id 0: nothing happens.
  void remove(const Registration& region) {
    if (region.id != 0) regions_.erase(region.id);
  }
  // REQUIRES: it exists.
  void* descriptor_of(const Registration& region) const {
    const auto found = regions_.find(region.id);
    LINTEL_ASSERT(found != regions_.end());
    return found->second.descriptor();
  }
  std::size_t size() const { return regions_.size(); }
  void clear() { regions_.clear(); }

 private:
  std::unordered_map<std::uint64_t, OfiMemoryRegion> regions_;
  std::uint64_t next_ = 1;
};

}  // namespace lintel::transport
