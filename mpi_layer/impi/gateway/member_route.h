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
  MemberRoute(Messenger& messenger, const JobLayout& layout, std::uint32_t rank, RouteEvents events)
      LINTEL_REQUIRES(kLock);

  void send(const Packet& packet, std::span<const std::byte> data) override {
    kLock.is_held();
    relay_.send(packet, data);
  }
  bool takes_more(const ProcId& source, const ProcId& destination) override;
  int fd() const override LINTEL_REQUIRES(kLock) { return -1; }
  std::size_t poll() override LINTEL_REQUIRES(kLock) { return 0; }
  bool drained() const override LINTEL_REQUIRES(kLock) { return relay_.backlog() == 0; }
  void dump(std::string& out) const override LINTEL_REQUIRES(kLock);
  void expect_end() override LINTEL_REQUIRES(kLock) { relay_.expect_end(); }
  // The agent does this.
  void finish() override LINTEL_REQUIRES(kLock) {}
  bool finished() const override LINTEL_REQUIRES(kLock) { return true; }
  void send_final_fini() override LINTEL_REQUIRES(kLock) {}

 private:
  PacketRelay relay_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi::impi
