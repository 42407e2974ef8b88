#pragma once
// PacketReader: splits the byte stream of one connection into packets.
//
// Owned by the connection. Thread: one at a time.
// Invariants: (1) it keeps one header and the data of one packet at most, which the negotiated
// length bounds; (2) after a violation it accepts nothing more; (3) it copies data only of a packet
// that arrives in pieces, and only those pieces that did not arrive in room().
// Does not: know processes, count packets, or answer.

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
  // A packet and its user data, which are valid until the call returns. An error ends the stream.
  using Handler = std::function<Error(const Packet&, std::span<const std::byte> data)>;

  // Where to write the data of a packet whose header has arrived: `packet.length` bytes that stay
  // valid until the packet is complete. Empty: in the reader.
  using DataPlacement = std::function<std::span<std::byte>(const Packet&)>;

  // `data_bytes`: the agreed value of the label IMPI_C_DATALEN.
  PacketReader(
      std::uint32_t data_bytes, Handler handler,
      DataPlacement place = [](const Packet&) { return std::span<std::byte>(); })
      : data_bytes_(data_bytes), handler_(std::move(handler)), place_(std::move(place)) {}

  // Handles all of `bytes`, which may begin and end anywhere in a packet. Packets of an unknown
  // type are ignored: they have no data. Errors, all of them Loss::kPeer: a packet has more data
  // than was agreed, or than its message has; the handler's errors. Every later call returns the
  // same error.
  Error take(std::span<const std::byte> bytes);

  // room(): where the caller may read the next bytes of the stream. Empty between packets, and
  // after a violation. filled(): the caller has read so many bytes to room(). Bytes that follow
  // room() go to take().
  std::span<std::byte> room();
  Error filled(std::size_t bytes);

  // True if no packet has begun, so the stream may end here.
  bool between_packets() const { return header_filled_ == 0; }

 private:
  Error begin();
  void find_place();
  Error finish(std::span<const std::byte> data);

  std::uint32_t data_bytes_;
  Handler handler_;
  DataPlacement place_;
  std::array<std::byte, kHeaderBytes> header_{};
  std::size_t header_filled_ = 0;
  Packet packet_;
  std::span<std::byte> data_;  // of a packet that arrives in pieces; else empty
  std::size_t data_filled_ = 0;
  std::vector<std::byte> kept_;  // of a packet that has no other place
  Error violation_;
};

}  // namespace lintel::mpi::impi
