#pragma once
// The two clients of the reference's test vectors: client 0 at 10.77.0.1 with processes 450 and
// 451, client 1 at 10.77.0.2 with 4001 and 4002. They have ranks 0 to 3 in this order.

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_layer/impi/host/packet.h"

namespace lintel::testing {

inline mpi::impi::ProcId process(int rank) {
  mpi::impi::ProcId address;
  if (rank < 2) {
    address.host.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 77, 0, 1};
    address.pid = 450 + rank;
  } else {
    address.host.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 77, 0, 2};
    address.pid = 3999 + rank;
  }
  return address;
}

inline std::vector<mpi::impi::ProcId> client(int number) {
  return {process(2 * number), process(2 * number + 1)};
}

// An encoded packet header.
inline std::vector<std::byte> encoded(const mpi::impi::Packet& packet) {
  std::vector<std::byte> bytes(mpi::impi::kHeaderBytes);
  encode(packet, std::span<std::byte, mpi::impi::kHeaderBytes>(bytes.data(), bytes.size()));
  return bytes;
}

inline constexpr char kRank0[] = "0000000000000000000000000a4d0001 00000000000001c2";
inline constexpr char kRank2[] = "00000000000000000000ffff0a4d0002 0000000000000fa1";
inline constexpr char kRank3[] = "00000000000000000000ffff0a4d0002 0000000000000fa2";

}  // namespace lintel::testing
