#include "transport/contact/half_open_connections.h"

#include "base/assert.h"

namespace lintel::transport {

void HalfOpenConnections::add(HalfOpenConnection& connection, TimePoint now) {
  LINTEL_ASSERT(count_ < most_ && !connection.hook.is_linked());
  connection.accepted_at = now;
  connections_.push_back(connection);
  ++count_;
}

void HalfOpenConnections::remove(HalfOpenConnection& connection) {
  if (!connection.hook.is_linked()) return;
  connection.hook.unlink();
  --count_;
}

HalfOpenConnection* HalfOpenConnections::overdue(TimePoint now) {
  return !connections_.empty() && now - connections_.front().accepted_at >= timeout_
             ? &connections_.front()
             : nullptr;
}

}  // namespace lintel::transport
