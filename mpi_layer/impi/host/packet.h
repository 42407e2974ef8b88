#pragma once
// The packet that two hosts of an IMPI job exchange: a header of 128 bytes, all big-endian, then
// the user data of DATA and DATASYNC (IMPI 0.0, data transfer; reference section 6).
//
// Pure functions of values; any thread. decode() does not validate: PacketReader does.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi_layer/impi/host_id.h"

namespace lintel::mpi::impi {

enum class PacketType : std::uint32_t {
  kData = 0,
  kDatasync = 1,
  kProtoack = 2,
  kSyncack = 3,
  kCancel = 4,
  kCancelyes = 5,
  kCancelno = 6,
  kFini = 7,
};
inline constexpr std::uint32_t kHighestPacketType = 7;

// Only these two are followed by user data, whatever the length field of another type says: LAM
// sets it to 128.
constexpr bool carries_data(PacketType type) {
  return type == PacketType::kData || type == PacketType::kDatasync;
}
// Types that the receiver acknowledges by PROTOACK. The sender may send a limited number of them
// without it.
constexpr bool is_flow_controlled(PacketType type) {
  return type != PacketType::kProtoack && type != PacketType::kFini;
}

// `source` is the process that sends this packet. In an acknowledgement it is the destination of
// the packet that is acknowledged.
struct Packet {
  PacketType type = PacketType::kData;
  std::uint32_t length = 0;  // of the user data in this packet
  ProcId source;
  ProcId destination;
  std::uint64_t source_request = 0;
  std::uint64_t destination_request = 0;
  std::uint64_t message_length = 0;  // of the user data in the whole message
  std::int32_t source_rank = 0;      // in the communicator
  std::int32_t tag = 0;
  std::uint64_t context = 0;
  std::uint64_t sequence = 0;
  std::int64_t count = 0;  // informative, as `datatype`
  std::uint64_t datatype = 0;
  bool operator==(const Packet&) const = default;
};

inline constexpr std::size_t kHeaderBytes = 128;

void encode(const Packet& packet, std::span<std::byte, kHeaderBytes> out);
Packet decode(std::span<const std::byte, kHeaderBytes> bytes);

}  // namespace lintel::mpi::impi
