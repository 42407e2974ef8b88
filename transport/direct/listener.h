#pragma once
// Listener: the socket at which other processes reach this one.
//
// If there is no descriptor or no memory for a connection that waits, accepting pauses: the
// connection stays in the kernel's queue, and to ask for it again at once would keep a processor
// busy.
//
// A member of Handshakes; guarded by its owner's lock. Time is an argument.
// Does not: keep the connections.

#include <netinet/in.h>

#include "base/clock.h"
#include "base/ids.h"
#include "base/private_descriptor.h"
#include "base/result.h"
#include "transport/contact/network_options.h"
#include "transport/direct/socket_events.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {

class Listener {
 public:
  static constexpr Nanoseconds kPause = std::chrono::milliseconds(100);

  // Listens at the address of the options. Its events are reported with nullptr. Error:
  // kOperation for an option that cannot be used (address, pid), else kInterface.
  Error open(const NetworkOptions& options, SocketEvents& events);
  ProcessId name() const { return name_; }
  const sockaddr_in& address() const { return own_; }

  // The next connection that waits. Not open: there is none, or accepting pauses from now on, or
  // with an error: that connection has ended, and another one may wait.
  AcceptedSocket accept(TimePoint now, SocketEvents& events);
  [[gnu::cold]] void pause(TimePoint now, SocketEvents& events);
  // When accepting goes on; kNever: it does not pause.
  TimePoint deadline() const { return again_at_; }
  // Accepting goes on if the pause is over.
  [[gnu::cold]] void end_pause(TimePoint now, SocketEvents& events);

 private:
  sockaddr_in own_{};
  ProcessId name_;
  PrivateDescriptor socket_;
  std::uint32_t watched_ = SocketEvents::kUnwatched;
  TimePoint again_at_ = kNever;
};

}  // namespace lintel::transport
