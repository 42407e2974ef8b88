#pragma once
// MemberRoute: the packet route of a process that is not the agent of its job. All packets go
// through the agent.

#include <cstdint>
#include <memory>

#include "mpi_layer/impi/gateway/packet_relay.h"
#include "mpi_layer/impi/gateway/packet_route.h"
#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

class MemberRoute final : public PacketRoute {
 public:
  // For process `rank` of the world.
  MemberRoute(Messenger& messenger, const JobLayout& layout, std::uint32_t rank,
              RouteEvents events);

  void send(const Packet& packet, std::span<const std::byte> data) override {
    relay_.send(packet, data);
  }
  bool takes_more(const ProcId& source, const ProcId& destination) override;
  int fd() const override { return -1; }
  std::size_t poll() override { return 0; }
  bool drained() const override { return relay_.backlog() == 0; }
  void dump(std::string& out) const override;
  void expect_end() override { relay_.expect_end(); }
  // The agent does this.
  void finish() override {}
  bool finished() const override { return true; }
  void send_final_fini() override {}

 private:
  PacketRelay relay_;
};

}  // namespace lintel::mpi::impi
