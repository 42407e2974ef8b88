#pragma once
// OutsideProcesses: what a messenger does for its gateway: processes outside, messages from them,
// and the ends of what the gateway was given. See gateway.h.
//
// Owned by the messenger, whose outside() it is; the process' lock guards it: every member REQUIRES
// it. Borrows the parts that it is given.
// Invariants: (1) a process outside has at most its share of `headers` messages unmatched.

#include <cstdint>

#include "mpi_layer/p2p/receives.h"
#include "mpi_layer/p2p/sends.h"

namespace lintel::mpi {

class OutsideProcesses {
 public:
  // `headers`: messages of all processes outside that may wait for their receives at once; 0: there
  // are no such processes.
  OutsideProcesses(const SharedParts& parts, Landings& landings, Sends& sends, Receives& receives,
                   std::uint32_t headers);
  OutsideProcesses(const OutsideProcesses&) = delete;
  OutsideProcesses& operator=(const OutsideProcesses&) = delete;

  // Borrowed until it is replaced; null: sends to processes outside are lost, and nothing is
  // relayed.
  void set_gateway(Gateway* gateway) LINTEL_REQUIRES(kLock) { link_.gateway = gateway; }
  // The next number of the table. Errors: kProcess (`headers` is 0).
  Refusal add() LINTEL_REQUIRES(kLock);
  std::size_t count() const LINTEL_REQUIRES(kLock) { return count_; }

  // A message from outside begins: it is there for receives and probes. Returns its number, which
  // ascends for each source, or 0: as many of that source wait as may, and nothing has happened.
  // REQUIRES: what a message may have of context, tag and length.
  std::uint64_t deliver(std::int32_t source, std::uint32_t context, std::int32_t tag,
                        std::uint64_t length) LINTEL_REQUIRES(kLock);
  // Its sender wants it back. True: it was there, and is gone. False: it has met a receive, of
  // which the gateway was told, or a matched probe. REQUIRES: Messenger::take_in() just before.
  bool withdraw(std::int32_t source, std::uint64_t sequence) LINTEL_REQUIRES(kLock);
  // What Gateway's functions have been given is over.
  void end_send(SendRequest& request, Failure failure, bool cancelled) LINTEL_REQUIRES(kLock) {
    sends_.end_outside(request, failure, cancelled);
  }
  void end_receive(ReceiveRequest& request, Failure failure) LINTEL_REQUIRES(kLock) {
    receives_.end_outside(request, failure);
  }
  // A send that the gateway was to cancel will end as if nothing had been asked.
  void refuse_cancel(SendRequest& request) LINTEL_REQUIRES(kLock) { Sends::refuse_cancel(request); }
  // A send or receive of the gateway's own, to or from a process that is not outside.
  // Gateway::on_relay_end() tells its end, later. REQUIRES: sound arguments; it is not active.
  void relay(const SendArguments& arguments, SendRequest& request) LINTEL_REQUIRES(kLock) {
    sends_.relay(arguments, request);
  }
  void relay(const ReceiveArguments& arguments, ReceiveRequest& request) LINTEL_REQUIRES(kLock) {
    receives_.relay(arguments, request);
  }
  // Tells the gateway the ends of its own requests.
  void hand_back_relayed() LINTEL_REQUIRES(kLock);

 private:
  EngineAccess& engine_;
  PeerTable& peers_;
  RequestEnds& ends_;
  GatewayLink& link_;
  Landings& landings_;
  Sends& sends_;
  Receives& receives_;
  const std::uint32_t headers_;
  std::uint32_t count_ LINTEL_GUARDED_BY(kLock) = 0;
};

}  // namespace lintel::mpi
