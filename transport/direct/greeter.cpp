#include "transport/direct/greeter.h"

#include <sys/uio.h>

#include "transport/direct/sockets.h"

namespace lintel::transport {

bool Greeter::send(int socket, ProcessId to, GreetingKind kind, const Resumption& resumption) {
  const Greeting greeting{kGreetingMagic,
                          kStreamVersion,
                          static_cast<std::uint8_t>(kind),
                          0,
                          self_.nid.value,
                          self_.pid.value,
                          to.nid.value,
                          to.pid.value,
                          incarnation_,
                          ++generation_};
  std::byte wire[sizeof greeting + sizeof resumption];
  encode(wire, greeting);
  encode(wire + sizeof greeting, resumption);
  const iovec whole{wire, has_resumption(greeting.kind) ? sizeof wire : sizeof greeting};
  // The first bytes of a connection always have room.
  return send_to(socket, {&whole, 1}) == static_cast<ssize_t>(whole.iov_len);
}

Greeter::GreetingVerdict Greeter::judge(const Greeting& greeting) const {
  if (greeting.magic != kGreetingMagic) return GreetingVerdict::kForeign;
  if (greeting.version != kStreamVersion) return GreetingVerdict::kOtherVersion;
  const ProcessId to{NodeId(greeting.to_nid), Pid(greeting.to_pid)};
  return to == self_ ? GreetingVerdict::kForThisProcess : GreetingVerdict::kForeign;
}

}  // namespace lintel::transport
