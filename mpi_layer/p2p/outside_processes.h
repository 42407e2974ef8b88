#pragma once
// OutsideProcesses: the functions of a messenger that its gateway calls: they add outside
// processes, deliver their messages, and end the sends and receives that the gateway was given. See
// gateway.h.
//
// Owned by the messenger (Messenger::outside()); every member REQUIRES the lock of its process.
// Borrows the parts that it is given.
// Invariants: (1) an outside process has at most its share of `headers` unmatched messages.

#include <cstdint>

#include "mpi_layer/p2p/receives.h"
#include "mpi_layer/p2p/sends.h"

namespace lintel::mpi {

class OutsideProcesses {
 public:
  // `headers`: see MessengerOptions::outside_headers.
  OutsideProcesses(const SharedParts& parts, UnexpectedBlocks& unexpected_blocks, Sends& sends,
                   Receives& receives, std::uint32_t headers);
  OutsideProcesses(const OutsideProcesses&) = delete;
  OutsideProcesses& operator=(const OutsideProcesses&) = delete;

  // Borrowed until it is replaced. Null: sends to outside processes fail, and the ends of relayed
  // requests are not reported.
  void set_gateway(Gateway* gateway) LINTEL_REQUIRES(kLock) { link_.gateway = gateway; }
  // Adds an outside process, with the next number of the table. Errors: kProcess (`headers` is 0).
  CallError add() LINTEL_REQUIRES(kLock);
  std::size_t count() const LINTEL_REQUIRES(kLock) { return count_; }

  // Adds a message from an outside process, which receives and probes can match from now on.
  // Returns its number, which ascends for each source; 0: the source has as many unmatched messages
  // as it may have, and nothing has changed. REQUIRES: valid context, tag and length.
  std::uint64_t deliver(std::int32_t source, std::uint32_t context, std::int32_t tag,
                        std::uint64_t length) LINTEL_REQUIRES(kLock);
  // The sender cancels the message. True: it was unmatched and is removed. False: a receive has
  // matched it, and Gateway::receive() was called; or a matched probe has taken it. REQUIRES:
  // Messenger::handle_events() was called just before.
  bool withdraw(std::int32_t source, std::uint64_t sequence) LINTEL_REQUIRES(kLock);
  // Ends a request that a function of Gateway was given.
  void end_send(SendRequest& request, RequestFailure failure, bool cancelled)
      LINTEL_REQUIRES(kLock) {
    sends_.end_outside(request, failure, cancelled);
  }
  void end_receive(ReceiveRequest& request, RequestFailure failure) LINTEL_REQUIRES(kLock) {
    receives_.end_outside(request, failure);
  }
  // A send that the gateway was to cancel will complete normally.
  void refuse_cancel(SendRequest& request) LINTEL_REQUIRES(kLock) { Sends::refuse_cancel(request); }
  // Starts a send or receive of the gateway's own, with a process of this job.
  // Gateway::on_relay_end() reports its end, never within this call. REQUIRES: valid arguments; the
  // request is not active.
  void relay(const SendArguments& arguments, SendRequest& request) LINTEL_REQUIRES(kLock) {
    sends_.relay(arguments, request);
  }
  void relay(const ReceiveArguments& arguments, ReceiveRequest& request) LINTEL_REQUIRES(kLock) {
    receives_.relay(arguments, request);
  }
  // Reports ended requests of the gateway's own to it.
  void report_relayed() LINTEL_REQUIRES(kLock);

 private:
  EngineAccess& engine_;
  PeerTable& peers_;
  RequestEnds& ends_;
  GatewayLink& link_;
  UnexpectedBlocks& unexpected_blocks_;
  Sends& sends_;
  Receives& receives_;
  const std::uint32_t headers_;
  std::uint32_t count_ LINTEL_GUARDED_BY(kLock) = 0;
};

}  // namespace lintel::mpi
