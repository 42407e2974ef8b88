#include "portals/engine/protocol/closing.h"

#include <new>

namespace lintel::portals {

void Closing::begin(const NetworkInterface& interface, bool last) {
  interfaces_.rows[interface.kind()].closing = true;
  of_last_ = last;
}

bool Closing::drained(const NetworkInterface& interface) const {
  return outbox_.waiting_of(interface.kind()) == 0 && transfers_.moving(interface.kind()) == 0 &&
         !interface.triggers.has_due();
}

std::uint64_t Closing::moved(const NetworkInterface& interface) const {
  return outbox_.left_of(interface.kind()) + transfers_.writes_done(interface.kind()) +
         initiator_.fired(interface.kind());
}

void Closing::give_up_sessions() {
  try {
    transport_.give_up_close();
  } catch (const std::bad_alloc&) {
    // a line of the log is missing
  }
}

}  // namespace lintel::portals
