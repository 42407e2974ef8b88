#include "portals/engine/events/counting_event.h"

#include <limits>

#include "base/assert.h"

namespace lintel::portals {

CountingEvent::~CountingEvent() { LINTEL_ASSERT(armed_.empty()); }

void CountingEvent::arm(Triggered& operation) {
  LINTEL_ASSERT(!operation.hook_.is_linked());
  armed_.insert(operation);
}

Triggered* CountingEvent::take_due() {
  // The sum may wrap, because a program may set both numbers to any values.
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(value_.success, value_.failure, &sum))
    sum = std::numeric_limits<std::uint64_t>::max();
  return !armed_.empty() && armed_.begin()->threshold_ <= sum ? take_any() : nullptr;
}

Triggered* CountingEvent::take_any() {
  if (armed_.empty()) return nullptr;
  Triggered& first = *armed_.begin();
  armed_.erase(armed_.begin());
  return &first;
}

}  // namespace lintel::portals
