#pragma once
// Gateway: the interface to processes of other jobs, called outside processes, which a messenger
// does not reach by itself. The messenger owns the requests and matches them. The gateway moves the
// bytes.
//
// A message from outside enters the engine's list as a message of 0 bytes, from a process id that
// no process of the network has. So wildcards, order and probes work as for all other messages.
// When it is matched, the gateway gets the buffer of the receive.
//
// All calls, in both directions, hold the lock of the messenger's process. The functions of Gateway
// may call those of OutsideProcesses but none of Messenger, and do not block.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "base/process_lock.h"
#include "mpi_layer/envelope/envelope.h"
#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

// The node of all outside processes for the engine. It is no address of any network.
inline constexpr NodeId kOutsideNode(0xfffffffe);

// The context of messages between the gateways of one job. No communicator uses it.
inline constexpr std::uint32_t kRelayContext = kMaxContext;

class Gateway {
 public:
  virtual ~Gateway() = default;

  // A send to an outside process has started. Its mode is kStandard or kSynchronous. True: it is
  // complete. False: the gateway calls OutsideProcesses::end_send() later, once; the buffer stays
  // valid until then.
  virtual bool send(const SendArguments& message, SendRequest& request) LINTEL_REQUIRES(kLock) = 0;
  // Cancel the send if possible. The gateway calls end_send() in any case. It may call
  // refuse_cancel() before, which means that the send will complete normally.
  virtual void cancel(SendRequest& request) LINTEL_REQUIRES(kLock) = 0;

  // The message `sequence` of `source`, as OutsideProcesses::deliver() numbered it, was matched.
  // Write as much as fits to `buffer`, then call OutsideProcesses::end_receive(), once; this call
  // may do that already. A message that a matched probe has taken is received later, or never.
  virtual void receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
                       ReceiveRequest& request) LINTEL_REQUIRES(kLock) = 0;

  // A send or receive that relay() has started has ended; its result says how. It may be started
  // again.
  virtual void on_relay_end(SendRequest& request) LINTEL_REQUIRES(kLock) = 0;
  virtual void on_relay_end(ReceiveRequest& request) LINTEL_REQUIRES(kLock) = 0;
};

// The gateway of a messenger, for the parts that pass messages to it. Null: sends to and receives
// from outside processes fail with kPeerLost.
struct GatewayLink {
  Gateway* gateway = nullptr;
};

}  // namespace lintel::mpi
