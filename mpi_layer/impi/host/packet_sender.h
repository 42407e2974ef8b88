#pragma once
// PacketSender: takes the packets that Messages sends, and passes them to the Channel of the right
// host, or to the process that has that channel.

#include <cstddef>
#include <span>

#include "mpi_layer/impi/host/packet.h"

namespace lintel::mpi::impi {

class PacketSender {
 public:
  virtual ~PacketSender() = default;
  // Sends a packet behind all earlier packets between the same two processes. The implementation
  // chooses its sequence number. `data` belong to the caller again when it returns. Does not call
  // Messages. REQUIRES: as Channel::send.
  virtual void send(const Packet& packet, std::span<const std::byte> data) = 0;
  // False: the rest of a long message between these two is to wait, which bounds how much of it is
  // queued. When that may have changed, the owner calls Messages::resume().
  virtual bool takes_more(const ProcId& source, const ProcId& destination) = 0;
};

}  // namespace lintel::mpi::impi
