#pragma once
// FlowControl: for each pair of a local and a remote process, how many packets are without
// PROTOACK in each direction, and the packets that wait for one (IMPI 0.0, reference section 6).
//
// Owned by the Channel; owns the packets that wait. Thread: one at a time.
// Invariants: (1) at most `hiwater` outgoing packets of a pair are without PROTOACK; (2) packets
// of a pair wait in the order of hold(), and only while it has `hiwater`.
// Does not: send anything, or make PROTOACK: its results say when.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/frame_queue.h"
#include "mpi_layer/impi/host/packet.h"

namespace lintel::mpi::impi {

class FlowControl {
 public:
  using Frame = FrameQueue::Frame;
  // Made, read and changed here only.
  struct ProcessPair {
    std::uint32_t sent = 0;      // packets without PROTOACK
    std::uint32_t received = 0;  // since the last PROTOACK
    std::deque<Frame> waiting;
  };

  // `local` and `remote`: the processes of the two hosts. REQUIRES: 1 <= ackmark <= hiwater.
  FlowControl(std::uint32_t ackmark, std::uint32_t hiwater, const std::vector<ProcId>& local,
              const std::vector<ProcId>& remote);

  // The pair of an outgoing packet. REQUIRES: `source` is local, `destination` remote.
  ProcessPair& outgoing(const ProcId& source, const ProcId& destination);
  // The pair of a packet that has arrived, in `pair`. Error: it is not between such processes.
  Error find_incoming(const Packet& packet, ProcessPair*& pair);
  bool is_incoming(const Packet& packet) const {
    return local_.contains(packet.destination) && remote_.contains(packet.source);
  }

  // A further packet may be sent; and: one is sent. REQUIRES of the latter: it may be sent.
  bool may_send(const ProcessPair& pair) const { return pair.sent < hiwater_; }
  void count_sent(ProcessPair& pair) { ++pair.sent; }
  // The packet waits. REQUIRES: !may_send(pair).
  void hold(ProcessPair& pair, Frame frame);

  // PROTOACK has arrived. Calls `release(Frame)` for each packet that waits no longer: it counts as
  // sent. Error: fewer packets were sent.
  template <class Release>
  Error acknowledged(ProcessPair& pair, const Release& release);
  // A packet other than PROTOACK has arrived. True: PROTOACK is due.
  bool count_received(ProcessPair& pair);

  // Packets that wait, of all pairs.
  std::size_t blocked_packets() const { return blocked_packets_; }
  // One line for each pair that has exchanged anything.
  void dump(std::string& out) const;

 private:
  // indices of the local and the remote process
  using PairName = std::pair<std::size_t, std::size_t>;

  std::uint32_t ackmark_;
  std::uint32_t hiwater_;
  std::map<ProcId, std::size_t> local_;
  std::map<ProcId, std::size_t> remote_;
  std::map<PairName, ProcessPair> pairs_;
  std::size_t blocked_packets_ = 0;
};

template <class Release>
Error FlowControl::acknowledged(ProcessPair& pair, const Release& release) {
  if (pair.sent < ackmark_)
    return {Loss::kPeer, "IMPI channel", "PROTOACK takes back more packets than were sent"};
  pair.sent -= ackmark_;
  for (; pair.sent < hiwater_ && !pair.waiting.empty(); ++pair.sent, --blocked_packets_) {
    release(std::move(pair.waiting.front()));
    pair.waiting.pop_front();
  }
  return {};
}

}  // namespace lintel::mpi::impi
