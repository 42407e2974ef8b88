#include "mpi_layer/impi/host/packet.h"

#include <boost/endian/conversion.hpp>
#include <concepts>
#include <cstring>

namespace lintel::mpi::impi {
namespace {

// Visits the fields of the header in the order of their bytes, for writing and for reading.
class FieldWriter {
 public:
  explicit FieldWriter(std::byte* out) : out_(out) {}
  template <std::integral T>
  void field(T value) {
    boost::endian::native_to_big_inplace(value);
    std::memcpy(out_, &value, sizeof value);
    out_ += sizeof value;
  }
  void field(const HostId& id) {
    std::memcpy(out_, id.bytes.data(), id.bytes.size());
    out_ += id.bytes.size();
  }

 private:
  std::byte* out_;
};

class FieldReader {
 public:
  explicit FieldReader(const std::byte* in) : in_(in) {}
  template <std::integral T>
  void field(T& value) {
    std::memcpy(&value, in_, sizeof value);
    boost::endian::big_to_native_inplace(value);
    in_ += sizeof value;
  }
  void field(HostId& id) {
    std::memcpy(id.bytes.data(), in_, id.bytes.size());
    in_ += id.bytes.size();
  }

 private:
  const std::byte* in_;
};

template <class Walker, class P>
void walk(Walker walker, P& packet, auto& type) {
  std::conditional_t<std::is_const_v<P>, const std::uint64_t, std::uint64_t> reserved = 0;
  walker.field(type);
  walker.field(packet.length);
  walker.field(packet.source.host);
  walker.field(packet.source.pid);
  walker.field(packet.destination.host);
  walker.field(packet.destination.pid);
  walker.field(packet.source_request);
  walker.field(packet.destination_request);
  walker.field(packet.message_length);
  walker.field(packet.source_rank);
  walker.field(packet.tag);
  walker.field(packet.context);
  walker.field(packet.sequence);
  walker.field(packet.count);
  walker.field(packet.datatype);
  walker.field(reserved);
}

}  // namespace

void encode(const Packet& packet, std::span<std::byte, kHeaderBytes> out) {
  const auto type = static_cast<std::uint32_t>(packet.type);
  walk(FieldWriter(out.data()), packet, type);
}

Packet decode(std::span<const std::byte, kHeaderBytes> bytes) {
  Packet packet;
  std::uint32_t type = 0;
  walk(FieldReader(bytes.data()), packet, type);
  packet.type = static_cast<PacketType>(type);
  return packet;
}

}  // namespace lintel::mpi::impi
