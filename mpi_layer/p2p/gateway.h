#pragma once
// Gateway: the way to processes that a messenger does not reach by itself, those of other jobs,
// which it calls outside. The messenger has the requests and matches; the gateway moves the bytes.
//
// A message from outside comes to the engine's list as one of no bytes, from a process id that is
// nobody's on the network, so that wildcards, order and probes are those of all messages; when it
// has met its receive, the gateway is given that one's buffer.
// All calls, in both directions, with the lock of the messenger's process. What is called here may
// call the functions of OutsideProcesses, and none of Messenger; it does not block.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "mpi_layer/envelope/envelope.h"
#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

// Who a process outside is for the engine: no address of any network.
inline constexpr NodeId kOutsideNode(0xfffffffe);

// For what gateways of one job have to say to each other; no communicator has it.
inline constexpr std::uint32_t kRelayContext = kMaxContext;

class Gateway {
 public:
  virtual ~Gateway() = default;

  // A send to a process outside has started; its mode is kStandard or kSynchronous. True: it is
  // complete. False: OutsideProcesses::end_send() is to follow, once; the buffer stays until then.
  virtual bool send(const SendArguments& message, SendRequest& request) = 0;
  // The send is to be taken back, if possible. It ends in any case; refuse_cancel() says that it
  // will as if nothing had been asked.
  virtual void cancel(SendRequest& request) = 0;

  // The message that was delivered as `sequence` of `source` is to go to `buffer`, as much as fits.
  // OutsideProcesses::end_receive() is to follow, once; it may do so now. (One that a matched probe
  // has got is received later, or never.)
  virtual void receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
                       ReceiveRequest& request) = 0;

  // A send or receive that relay() has started is over and may be started again; its result says
  // how.
  virtual void on_relay_end(SendRequest& request) = 0;
  virtual void on_relay_end(ReceiveRequest& request) = 0;
};

// The gateway that a messenger has, for the parts that hand messages to it. Null: sends to
// processes outside, and messages from there, are lost.
struct GatewayLink {
  Gateway* gateway = nullptr;
};

}  // namespace lintel::mpi
