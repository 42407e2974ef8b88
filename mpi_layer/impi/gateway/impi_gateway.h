#pragma once
// ImpiGateway: the gateway of the messenger. It carries the messages of one process to and from
// processes of other jobs by IMPI's message protocols.
//
// Owned together with the route of its packets (agent_route.h, member_route.h). Guarded by the lock
// of the messenger's process.
// Invariants: (1) an arrival is in the messenger's list under one number, or waits in
// UnmatchedArrivals until there is room; (2) its bytes are kept until it is matched, and then go
// directly to the buffer of its receive; (3) the sender of an arrival is answered when the arrival
// is matched, not before.
// Does not: bound the memory for messages that nobody receives. A host of IMPI must accept every
// packet, so that answers are not stuck behind it.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "mpi_layer/impi/gateway/unmatched_arrivals.h"
#include "mpi_layer/impi/gateway/world_processes.h"
#include "mpi_layer/impi/host/messages.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/p2p/gateway.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi::impi {

class ImpiGateway final : public Gateway, private Messages::MessageHandler {
 public:
  // For process `rank` of the world. The numbers of the messenger are world ranks. All arguments
  // are borrowed. The owner calls OutsideProcesses::set_gateway().
  ImpiGateway(Messenger& messenger, const JobLayout& layout, std::uint32_t rank,
              PacketSender& sender);
  ImpiGateway(const ImpiGateway&) = delete;
  ImpiGateway& operator=(const ImpiGateway&) = delete;

  // A packet for this process has arrived. Returns an error if its sender violates the protocol.
  Error on_packet(const Packet& packet, std::span<const std::byte> data) LINTEL_REQUIRES(kLock) {
    return messages_.on_packet(packet, data);
  }
  // Where the data of a packet may be written before on_packet(); see Messages.
  std::span<std::byte> place_for(const Packet& packet) LINTEL_REQUIRES(kLock) {
    return messages_.place_for(packet);
  }
  // The route may accept more packets. Continues long messages, and completes sends that wait for
  // that.
  void resume() LINTEL_REQUIRES(kLock);
  // Delivers arrivals for which the messenger had no room. Returns their number.
  std::size_t deliver_waiting() LINTEL_REQUIRES(kLock);
  // True if no send waits for the other side or to leave.
  bool idle() const LINTEL_REQUIRES(kLock) { return sends_.empty() && delayed_sends_.empty(); }
  void dump(std::string& out) const LINTEL_REQUIRES(kLock);

 private:
  struct MatchedArrival {
    std::span<std::byte> buffer;
    ReceiveRequest* request;
    std::uint64_t length;  // of the message
  };

  // Gateway
  bool send(const SendArguments& message, SendRequest& request) override LINTEL_REQUIRES(kLock);
  void cancel(SendRequest& request) override LINTEL_REQUIRES(kLock);
  void receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
               ReceiveRequest& request) override LINTEL_REQUIRES(kLock);
  void on_relay_end(SendRequest& request) override LINTEL_REQUIRES(kLock);
  void on_relay_end(ReceiveRequest& request) override LINTEL_REQUIRES(kLock);
  // Messages::MessageHandler, called from within messages_
  void on_send_end(SendNumber number, SendEnd end) override;
  void on_cancel_refused(SendNumber number) override;
  void on_arrival(ArrivalNumber number, const Envelope& envelope,
                  std::span<const std::byte> data) override;
  bool withdraw(ArrivalNumber number) override;
  void on_more(ArrivalNumber number, std::uint64_t offset,
               std::span<const std::byte> data) override;
  std::span<std::byte> place_for(ArrivalNumber number, std::uint64_t offset,
                                 std::size_t length) override;

  OutsideProcesses& outside() { return messenger_.outside(); }
  void drop(ArrivalNumber number, const Envelope& envelope) LINTEL_REQUIRES(kLock);
  std::uint64_t deliver(const UnmatchedArrival& arrival) LINTEL_REQUIRES(kLock);

  Messenger& messenger_;
  PacketSender& sender_;
  Messages messages_ LINTEL_GUARDED_BY(kLock);
  WorldProcesses world_;
  std::int32_t rank_;
  std::map<SendNumber, SendRequest*> sends_ LINTEL_GUARDED_BY(kLock);
  UnmatchedArrivals arrivals_ LINTEL_GUARDED_BY(kLock);
  // sources whose dropped messages were logged
  std::set<std::int32_t> dropped_of_ LINTEL_GUARDED_BY(kLock);
  // short sends that have left, and complete only when the route accepts more for their
  // destination. This slows the sender down
  std::map<SendRequest*, ProcId> delayed_sends_ LINTEL_GUARDED_BY(kLock);
  std::map<ArrivalNumber, MatchedArrival> matched_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi::impi
