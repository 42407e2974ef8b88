#pragma once
// PacketReader: cuts the stream of one connection into packets.
//
// Owned by the connection. Thread: one.
// Invariants: (1) it keeps one header and the data of one packet at most, which the negotiated length bounds; (2) after a violation it takes nothing more.
// Does not: know processes, count, or answer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/packet.h"

namespace lintel::mpi::impi {

class PacketReader {
 public:
  // A packet and its user data, which are the reader's until the call returns. An error ends the stream.
  using Handler = std::function<Error(const Packet&, std::span<const std::byte> data)>;

  // `data_bytes`: what all agreed upon under the label IMPI_C_DATALEN.
  PacketReader(std::uint32_t data_bytes, Handler handler) : data_bytes_(data_bytes), handler_(std::move(handler)) {}

  // Takes all of `bytes`, wherever it is cut. Packets of a type that is not known are passed over: they have no data.
  // Errors, all of them Loss::kPeer: a packet with more data than was agreed upon, or than its message has; the handler's own. The same again from then on.
  Error take(std::span<const std::byte> bytes);

  // The stream may end here: nothing was begun.
  bool between_packets() const { return header_filled_ == 0; }

 private:
  Error begin();
  Error finish(std::span<const std::byte> data);

  std::uint32_t data_bytes_;
  Handler handler_;
  std::array<std::byte, kHeaderBytes> header_{};
  std::size_t header_filled_ = 0;
  Packet packet_;
  std::uint32_t data_expected_ = 0;
  std::vector<std::byte> data_;  // of a packet that came in pieces
  Error violation_;
};

}  // namespace lintel::mpi::impi
