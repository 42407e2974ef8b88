#include "mpi_layer/impi/gateway/agent_route.h"

#include <algorithm>
#include <utility>

namespace lintel::mpi::impi {

Outcome<std::unique_ptr<AgentRoute>> AgentRoute::open(Messenger& messenger, std::uint32_t rank,
                                                      JoinedJob joined, Nanoseconds peer_timeout,
                                                      RouteEvents events) {
  std::unique_ptr<AgentRoute> route(new AgentRoute(joined.layout, rank, std::move(events)));
  Outcome<std::unique_ptr<HostSockets>> sockets = HostSockets::open(joined, peer_timeout, *route);
  if (!sockets) return sockets.failure();
  route->sockets_ = std::move(*sockets);
  route->add_relays(messenger, joined.layout);
  return route;
}

AgentRoute::AgentRoute(const JobLayout& layout, std::uint32_t rank, RouteEvents events)
    : rank_(rank), host_(layout.procs[rank].host), events_(std::move(events)) {
  for (std::uint32_t other = 0; other < layout.procs.size(); ++other) {
    places_.emplace(layout.procs[other].id, RankAndHost{other, layout.procs[other].host});
  }
}

void AgentRoute::add_relays(Messenger& messenger, const JobLayout& layout) {
  const JobHost& host = layout.hosts[host_];
  for (std::uint32_t member = host.first_proc; member < host.first_proc + host.procs; ++member) {
    if (member == rank_) continue;
    const auto on_packet = [this, member](const Packet& packet, std::span<const std::byte> data) {
      kLock.is_held();
      return on_relayed(member, packet, data);
    };
    const auto on_broken = [this, member](const Error& error) {
      events_.on_broken(
          "rank " + std::to_string(member) +
          ", whose messages with other IMPI clients go by this process: " + error.reason());
    };
    relays_.emplace(member, std::make_unique<PacketRelay>(
                                messenger, static_cast<std::int32_t>(member), layout.data_length,
                                PacketRelay::RelayEvents{on_packet, [] {}, on_broken}));
  }
}

// After finish() packets are dropped. They are answers for which nobody waits, such as that to a
// late CANCEL.
void AgentRoute::send(const Packet& packet, std::span<const std::byte> data) {
  kLock.is_held();
  if (!finished_) sockets_->send(places_.at(packet.destination).host, packet, data);
}

bool AgentRoute::takes_more(const ProcId& source, const ProcId& destination) {
  kLock.is_held();
  return !finished_ && sockets_->takes_more(places_.at(destination).host, source, destination);
}

bool AgentRoute::drained() const {
  return std::ranges::all_of(relays_, [](const auto& relay) {
    kLock.is_held();
    return relay.second->backlog() == 0;
  });
}

void AgentRoute::dump(std::string& out) const {
  for (const auto& [rank, relay] : relays_)
    out += "impi relay to rank " + std::to_string(rank) + ": unsent " +
           std::to_string(relay->backlog()) + '\n';
  sockets_->dump(out);
}

void AgentRoute::expect_end() {
  for (const auto& [rank, relay] : relays_) relay->expect_end();
}

void AgentRoute::finish() {
  finished_ = true;
  sockets_->finish();
}

Error AgentRoute::on_relayed(std::uint32_t rank, const Packet& packet,
                             std::span<const std::byte> data) {
  const auto source = places_.find(packet.source);
  const auto destination = places_.find(packet.destination);
  const bool sound = source != places_.end() && source->second.rank == rank &&
                     destination != places_.end() && destination->second.host != host_;
  if (!sound)
    return {Loss::kPeer, "relay of IMPI packets",
            "one is not of its sender, or for nobody outside"};
  send(packet, data);
  return {};
}

// The channel has checked that the packet is for a process of this host.
Error AgentRoute::on_packet(std::uint32_t, const Packet& packet, std::span<const std::byte> data) {
  kLock.is_held();
  const std::uint32_t rank = places_.at(packet.destination).rank;
  if (rank == rank_) return events_.on_packet(packet, data);
  relays_.at(rank)->send(packet, data);
  return {};
}

std::span<std::byte> AgentRoute::place_for(std::uint32_t, const Packet& packet) {
  return places_.at(packet.destination).rank == rank_ ? events_.place_for(packet)
                                                      : std::span<std::byte>();
}

}  // namespace lintel::mpi::impi
