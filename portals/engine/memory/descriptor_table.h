#pragma once
// DescriptorTable: the memory descriptors of one interface, by handle.
//
// Owned by the interface; owns its descriptors. Guarded by the process' lock.
// Invariants: (1) `id` of a descriptor is its own id; (2) at most `max_bound` descriptors were made
// by bind() and are not unbound.
// Does not: check the queue or counting event that a descriptor names, log events, or know match
// lists (entry_table.h).

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/memory/memory_descriptor.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class DescriptorTable {
 public:
  DescriptorTable(std::size_t limit, std::size_t max_bound, unsigned generation_bits,
                  std::uint32_t first_generation)
      : descriptors_(limit, generation_bits, first_generation), max_bound_(max_bound) {}

  MemoryDescriptor* get(SlotId id) LINTEL_REQUIRES(kLock) { return descriptors_.get(id); }
  std::size_t size() const LINTEL_REQUIRES(kLock) { return descriptors_.size(); }
  std::size_t limit() const LINTEL_REQUIRES(kLock) { return descriptors_.limit(); }
  std::uint32_t next_generation() const LINTEL_REQUIRES(kLock) {
    return descriptors_.next_generation();
  }

  // A descriptor for an entry or a search. Null: there are too many.
  MemoryDescriptor* make(DescriptorRules rules, bool unlink_when_used_up) LINTEL_REQUIRES(kLock) {
    const auto [descriptor, id] = descriptors_.create(std::move(rules), unlink_when_used_up);
    if (descriptor != nullptr) descriptor->id = id;
    return descriptor;
  }
  // A descriptor that belongs to no entry. Null: there are too many.
  MemoryDescriptor* bind(DescriptorRules rules, bool unlink_when_used_up) LINTEL_REQUIRES(kLock) {
    if (bound_ >= max_bound_) return nullptr;
    MemoryDescriptor* const descriptor = make(std::move(rules), unlink_when_used_up);
    if (descriptor != nullptr) ++bound_;
    return descriptor;
  }
  // Destroys `descriptor`. REQUIRES: it is not busy.
  void destroy(MemoryDescriptor& descriptor) LINTEL_REQUIRES(kLock) {
    descriptors_.destroy(descriptor.id);
  }
  // The program has unlinked a descriptor that bind() made, so another one may be bound.
  void unbind() LINTEL_REQUIRES(kLock) { --bound_; }

  // The queue or counting event has ended: removes it from all descriptors.
  void forget_queue(SlotId queue) LINTEL_REQUIRES(kLock) {
    descriptors_.for_each([queue](SlotId, MemoryDescriptor& descriptor) {
      if (descriptor.queue() == queue) descriptor.forget_queue();
    });
  }
  void forget_counter(SlotId counter) LINTEL_REQUIRES(kLock) {
    descriptors_.for_each([counter](SlotId, MemoryDescriptor& descriptor) {
      if (descriptor.counter() == counter) descriptor.forget_counter();
    });
  }

  // Destroys all. REQUIRES: none is busy.
  void drop_all() LINTEL_REQUIRES(kLock) {
    descriptors_.for_each([this](SlotId id, MemoryDescriptor& descriptor) {
      kLock.is_held();
      LINTEL_ASSERT(!descriptor.busy());
      descriptors_.destroy(id);
    });
  }

 private:
  SlotPool<MemoryDescriptor> descriptors_ LINTEL_GUARDED_BY(kLock);
  std::size_t bound_ LINTEL_GUARDED_BY(kLock) = 0;
  std::size_t max_bound_;
};

}  // namespace lintel::portals
