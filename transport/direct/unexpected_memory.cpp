#include "transport/direct/unexpected_memory.h"

#include <new>
#include <utility>

namespace lintel::transport {

UnexpectedMemory::Slot UnexpectedMemory::take() {
  if (is_used_up()) return nullptr;
  Slot slot;
  if (free_.empty()) {
    slot.reset(new (std::nothrow) std::byte[kBytes]);
  } else {
    slot = std::move(free_.back());
    free_.pop_back();
  }
  if (slot) ++in_use_;
  return slot;
}

void UnexpectedMemory::give_back(Slot slot) {
  if (!slot) return;
  free_.push_back(std::move(slot));
  --in_use_;
}

}  // namespace lintel::transport
