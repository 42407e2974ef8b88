#pragma once
// Crossing: how the messages of one process go to and come from processes of other jobs: the
// messenger's gateway, on IMPI's message protocols.
//
// Owned with the way that its packets take (agent_route.h, member_route.h). Guarded by the lock of
// the messenger's process: every member REQUIRES it. Invariants: (1) an arrival is in the
//             messenger's list under one number, or waits in `undelivered_` until there is room;
//             (2) its bytes are kept until it has met its receive, and go straight to that one's
//                 buffer from then on; (3) the sender of an arrival is answered when it has met its
//                 receive, not before.
// Does not: bound how much is kept of messages that nobody receives: IMPI's hosts take in what
// comes, so that answers are not stuck behind it.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mpi_layer/impi/host/messages.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/p2p/gateway.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi::impi {

class Crossing final : public Gateway, private Messages::Owner {
 public:
  // Process `rank` of the world, whose numbers of the messenger are world ranks. All are borrowed.
  // OutsideProcesses::set_gateway() is the owner's to call.
  Crossing(Messenger& messenger, const JobLayout& layout, std::uint32_t rank, PacketWay& way);
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;

  // A packet for this process. An error: whoever sent it breaks the protocol.
  Error on_packet(const Packet& packet, std::span<const std::byte> data) {
    return messages_.on_packet(packet, data);
  }
  // Where its data may be put before it is told of; see Messages.
  std::span<std::byte> place_for(const Packet& packet) { return messages_.place_for(packet); }
  // The way may take more than it did: of long messages, and from senders that wait for that.
  void go_on();
  // Brings to the messenger what it had no room for. Returns how many.
  std::size_t deliver_waiting();
  // Nothing that was sent waits for the other side, or to leave.
  bool quiet() const { return sends_.empty() && held_up_.empty(); }
  void dump(std::string& out) const;

 private:
  struct Arrival {
    Envelope envelope;
    std::int32_t source = 0;               // world rank
    std::uint64_t sequence = 0;            // the messenger's; 0: not delivered
    std::span<const std::byte> beginning;  // what has come until it meets its receive
    std::vector<std::byte> kept;           // the same, once the call that has told of it is over
  };
  struct Landing {
    std::span<std::byte> buffer;
    ReceiveRequest* request;
    std::uint64_t length;  // of the message
  };

  // Gateway
  bool send(const SendArguments& message, SendRequest& request) override;
  void cancel(SendRequest& request) override;
  void receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
               ReceiveRequest& request) override;
  void on_relay_end(SendRequest& request) override;
  void on_relay_end(ReceiveRequest& request) override;
  // Messages::Owner
  void on_send_end(SendNumber number, SendEnd end) override;
  void on_cancel_refused(SendNumber number) override;
  void on_arrival(ArrivalNumber number, const Envelope& envelope,
                  std::span<const std::byte> data) override;
  bool withdraw(ArrivalNumber number) override;
  void on_more(ArrivalNumber number, std::uint64_t offset,
               std::span<const std::byte> data) override;
  std::span<std::byte> place_for(ArrivalNumber number, std::uint64_t offset,
                                 std::size_t length) override;

  // Whoever calls a function of this class holds the lock.
  OutsideProcesses& outside() LINTEL_ASSERT_CAPABILITY(kLock) { return messenger_.outside(); }
  void drop(ArrivalNumber number, const Envelope& envelope);
  bool deliver(ArrivalNumber number, Arrival& arrival);

  Messenger& messenger_;
  PacketWay& way_;
  Messages messages_;
  std::uint32_t rank_;
  std::vector<ProcId> procs_;  // by world rank
  std::map<ProcId, std::int32_t> ranks_;
  std::map<SendNumber, SendRequest*> sends_;
  // that have not met their receive
  std::map<ArrivalNumber, Arrival> arrivals_;
  // by source and the messenger's number
  std::map<std::pair<std::int32_t, std::uint64_t>, ArrivalNumber> delivered_;
  // by source, of those that have any
  std::map<std::int32_t, std::deque<ArrivalNumber>> undelivered_;
  // sources that this was said of
  std::set<std::int32_t> dropped_of_;
  std::map<SendRequest*, ProcId>
      held_up_;  // short sends that have left, to those that the way takes no more for: by the pace
                 // of their end a sender learns that
  std::map<ArrivalNumber, Landing> landings_;
};

}  // namespace lintel::mpi::impi
