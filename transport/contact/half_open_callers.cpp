#include "transport/contact/half_open_callers.h"

#include "base/assert.h"

namespace lintel::transport {

void HalfOpenCallers::add(HalfOpenCaller& caller, TimePoint now) {
  LINTEL_ASSERT(count_ < most_ && !caller.hook.is_linked());
  caller.accepted_at = now;
  callers_.push_back(caller);
  ++count_;
}

void HalfOpenCallers::remove(HalfOpenCaller& caller) {
  if (!caller.hook.is_linked()) return;
  caller.hook.unlink();
  --count_;
}

HalfOpenCaller* HalfOpenCallers::overdue(TimePoint now) {
  return !callers_.empty() && now - callers_.front().accepted_at >= timeout_ ? &callers_.front()
                                                                             : nullptr;
}

}  // namespace lintel::transport
