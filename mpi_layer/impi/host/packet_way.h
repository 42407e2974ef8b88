#pragma once
// PacketWay: where the packets of Messages go: into the Channel of the right host, or to the
// process that has it.

#include <cstddef>
#include <span>

#include "mpi_layer/impi/host/packet.h"

namespace lintel::mpi::impi {

class PacketWay {
 public:
  virtual ~PacketWay() = default;
  // Takes a packet, in its place behind those between the same two processes. Its sequence number
  // is the way's to choose. `data` are the caller's again when it returns. REQUIRES: as
  // Channel::send. Does not call Messages.
  virtual void send(const Packet& packet, std::span<const std::byte> data) = 0;
  // Whether the rest of a long message between these two is to go on: false bounds how much of it
  // lies on the way. When that may have changed, the owner calls Messages::go_on().
  virtual bool takes_more(const ProcId& source, const ProcId& destination) = 0;
};

}  // namespace lintel::mpi::impi
