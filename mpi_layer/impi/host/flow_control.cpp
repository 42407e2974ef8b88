#include "mpi_layer/impi/host/flow_control.h"

#include "base/assert.h"

namespace lintel::mpi::impi {
namespace {

std::map<ProcId, std::size_t> places(const std::vector<ProcId>& processes) {
  std::map<ProcId, std::size_t> places;
  for (const ProcId& process : processes) places.emplace(process, places.size());
  LINTEL_ASSERT(places.size() == processes.size());
  return places;
}

}  // namespace

FlowControl::FlowControl(std::uint32_t ackmark, std::uint32_t hiwater,
                         const std::vector<ProcId>& local, const std::vector<ProcId>& remote)
    : ackmark_(ackmark), hiwater_(hiwater), local_(places(local)), remote_(places(remote)) {
  LINTEL_ASSERT(ackmark >= 1 && ackmark <= hiwater);
}

FlowControl::ProcessPair& FlowControl::outgoing(const ProcId& source, const ProcId& destination) {
  const auto local = local_.find(source);
  const auto remote = remote_.find(destination);
  LINTEL_ASSERT(local != local_.end() && remote != remote_.end());
  return pairs_[{local->second, remote->second}];
}

Error FlowControl::find_incoming(const Packet& packet, ProcessPair*& pair) {
  const auto local = local_.find(packet.destination);
  const auto remote = remote_.find(packet.source);
  if (local == local_.end())
    return {Loss::kPeer, "IMPI channel", "a packet is for a process that this host does not have"};
  if (remote == remote_.end())
    return {Loss::kPeer, "IMPI channel",
            "a packet is from a process that the other host does not have"};
  pair = &pairs_[{local->second, remote->second}];
  return {};
}

void FlowControl::hold(ProcessPair& pair, Frame frame) {
  pair.waiting.push_back(std::move(frame));
  ++blocked_packets_;
}

bool FlowControl::count_received(ProcessPair& pair) {
  if (++pair.received < ackmark_) return false;
  pair.received = 0;
  return true;
}

void FlowControl::dump(std::string& out) const {
  for (const auto& [name, pair] : pairs_) {
    out += "impi pair " + std::to_string(name.first) + ":" + std::to_string(name.second) +
           " sent " + std::to_string(pair.sent) + " received " + std::to_string(pair.received) +
           " waiting " + std::to_string(pair.waiting.size()) + "\n";
  }
}

}  // namespace lintel::mpi::impi
