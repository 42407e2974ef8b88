#pragma once
// PacketReader: cuts the stream of one connection into packets.
//
// Owned by the connection. Thread: one.
// Invariants: (1) it keeps one header and the data of one packet at most, which the negotiated
//             length bounds; (2) after a violation it takes nothing more; (3) data are copied only
//             of a packet that comes in pieces, and of that only the pieces that did not come into
//             room().
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
  // A packet and its user data, which are the reader's until the call returns. An error ends the
  // stream.
  using Handler = std::function<Error(const Packet&, std::span<const std::byte> data)>;

  // Where the data of a packet that is beginning are to lie, `packet.length` bytes that stay there
  // until it is whole; empty: nobody cares, they lie in the reader.
  using Place = std::function<std::span<std::byte>(const Packet&)>;

  // `data_bytes`: what all agreed upon under the label IMPI_C_DATALEN.
  PacketReader(
      std::uint32_t data_bytes, Handler handler,
      Place place = [](const Packet&) { return std::span<std::byte>(); })
      : data_bytes_(data_bytes), handler_(std::move(handler)), place_(std::move(place)) {}

  // Takes all of `bytes`, wherever it is cut. Packets of a type that is not known are passed over:
  // they have no data.
  // Errors, all of them Loss::kPeer: a packet with more data than was agreed upon, or than its
  // message has; the handler's own. The same again from then on.
  Error take(std::span<const std::byte> bytes);

  // Where the bytes that come next may be put by who reads them, and that so many of them are
  // there. Empty between packets, and after a violation. take() is for those behind.
  std::span<std::byte> room();
  Error filled(std::size_t bytes);

  // The stream may end here: nothing was begun.
  bool between_packets() const { return header_filled_ == 0; }

 private:
  Error begin();
  void find_place();
  Error finish(std::span<const std::byte> data);

  std::uint32_t data_bytes_;
  Handler handler_;
  Place place_;
  std::array<std::byte, kHeaderBytes> header_{};
  std::size_t header_filled_ = 0;
  Packet packet_;
  std::span<std::byte> data_;  // of a packet that comes in pieces; empty: there is none
  std::size_t data_filled_ = 0;
  std::vector<std::byte> kept_;  // of one that has no other place
  Error violation_;
};

}  // namespace lintel::mpi::impi
