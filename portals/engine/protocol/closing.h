#pragma once
// Closing: the end of an interface: what it has sent leaves, and has arrived; with the last
// interface, the end of the sessions with all peers.
//
// Owned by the Endpoint; borrows its parts and its transport. Every member REQUIRES the process'
// lock. Does not: wait, or end what is left (Endpoint::detach).

#include <cstddef>
#include <cstdint>

#include "base/process_lock.h"
#include "portals/engine/protocol/initiator.h"
#include "transport/transport.h"

namespace lintel::portals {

class Closing {
 public:
  Closing(transport::Transport& transport, InterfaceTable& interfaces, const Outbox& outbox,
          const Transfers& transfers, const Initiator& initiator)
      : transport_(transport),
        interfaces_(interfaces),
        outbox_(outbox),
        transfers_(transfers),
        initiator_(initiator) {}

  // The interface will be detached when what it has sent has left. Requests for it are refused from
  // now on, so that peers cannot keep it open, or, if it is the `last` one, dropped.
  void begin(const NetworkInterface& interface, bool last) LINTEL_REQUIRES(kLock);
  // The last interface is being closed.
  bool of_last() const LINTEL_REQUIRES(kLock) { return of_last_; }
  // No request or reply of it waits to leave, no transfer of it is under way; not: has arrived.
  bool drained(const NetworkInterface& interface) const LINTEL_REQUIRES(kLock);
  // A number that grows while data and messages of the interface are being sent.
  std::uint64_t moved(const NetworkInterface& interface) const LINTEL_REQUIRES(kLock);

  // What peers have not acknowledged of what was sent before, see Transport::awaited_arrivals().
  void await_arrival() LINTEL_REQUIRES(kLock) { transport_.await_arrival(); }
  std::size_t awaited_arrivals() const LINTEL_REQUIRES(kLock) {
    return transport_.awaited_arrivals();
  }
  // The orderly end of the sessions with all peers, see Transport::close().
  bool close_sessions(TimePoint now) LINTEL_REQUIRES(kLock) { return transport_.close(now); }
  [[gnu::cold]] void give_up_sessions() LINTEL_REQUIRES(kLock);

 private:
  transport::Transport& transport_;
  InterfaceTable& interfaces_;
  const Outbox& outbox_;
  const Transfers& transfers_;
  const Initiator& initiator_;
  bool of_last_ LINTEL_GUARDED_BY(kLock) = false;
};

}  // namespace lintel::portals
