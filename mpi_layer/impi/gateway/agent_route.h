#pragma once
// AgentRoute: the packet route of the process that owns its job's connections with other hosts (the
// agent). It sends and receives its own packets, and those of the other processes of its job by a
// PacketRelay for each.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/gateway/packet_relay.h"
#include "mpi_layer/impi/gateway/packet_route.h"
#include "mpi_layer/impi/sockets/host_sockets.h"

namespace lintel::mpi::impi {

class AgentRoute final : public PacketRoute, private HostSockets::PacketHandler {
 public:
  // For process `rank` of the world, the agent of its host. Takes the sockets of `joined`. A
  // machine that is silent for `peer_timeout` counts as lost.
  static Outcome<std::unique_ptr<AgentRoute>> open(Messenger& messenger, std::uint32_t rank,
                                                   JoinedJob joined, Nanoseconds peer_timeout,
                                                   RouteEvents events) LINTEL_REQUIRES(kLock);

  void send(const Packet& packet, std::span<const std::byte> data) override;
  bool takes_more(const ProcId& source, const ProcId& destination) override;
  int fd() const override LINTEL_REQUIRES(kLock) { return sockets_->fd(); }
  std::size_t poll() override LINTEL_REQUIRES(kLock) { return sockets_->poll(); }
  bool drained() const override LINTEL_REQUIRES(kLock);
  void dump(std::string& out) const override LINTEL_REQUIRES(kLock);
  void expect_end() override LINTEL_REQUIRES(kLock);
  void finish() override LINTEL_REQUIRES(kLock);
  bool finished() const override LINTEL_REQUIRES(kLock) { return sockets_->finished(); }
  void send_final_fini() override LINTEL_REQUIRES(kLock) { sockets_->send_fini(); }

 private:
  struct RankAndHost {
    std::uint32_t rank;
    std::uint32_t host;
  };

  AgentRoute(const JobLayout& layout, std::uint32_t rank, RouteEvents events);
  void add_relays(Messenger& messenger, const JobLayout& layout) LINTEL_REQUIRES(kLock);
  Error on_relayed(std::uint32_t rank, const Packet& packet, std::span<const std::byte> data)
      LINTEL_REQUIRES(kLock);
  // HostSockets::PacketHandler
  Error on_packet(std::uint32_t host, const Packet& packet,
                  std::span<const std::byte> data) override;
  std::span<std::byte> place_for(std::uint32_t, const Packet& packet) override;
  void on_room(std::uint32_t) override { events_.on_room(); }
  void on_lost(std::uint32_t, const std::string& sentence) override { events_.on_broken(sentence); }

  std::uint32_t rank_;
  std::uint32_t host_;
  RouteEvents events_;
  std::map<ProcId, RankAndHost> places_;
  std::unique_ptr<HostSockets> sockets_ LINTEL_GUARDED_BY(kLock);
  // to the other processes of this host, by rank
  std::map<std::uint32_t, std::unique_ptr<PacketRelay>> relays_ LINTEL_GUARDED_BY(kLock);
  bool finished_ LINTEL_GUARDED_BY(kLock) = false;  // finish() was called
};

}  // namespace lintel::mpi::impi
