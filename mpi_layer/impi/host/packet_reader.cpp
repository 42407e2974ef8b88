#include "mpi_layer/impi/host/packet_reader.h"

#include <algorithm>
#include <cstring>

namespace lintel::mpi::impi {

Error PacketReader::take(std::span<const std::byte> bytes) {
  while (violation_.ok() && !bytes.empty()) {
    if (header_filled_ < kHeaderBytes) {
      const std::size_t taken = std::min(bytes.size(), kHeaderBytes - header_filled_);
      std::memcpy(header_.data() + header_filled_, bytes.data(), taken);
      header_filled_ += taken;
      bytes = bytes.subspan(taken);
      if (header_filled_ == kHeaderBytes) violation_ = begin();
      continue;
    }
    // Data that are in one piece are handed on without a copy.
    if (data_.empty() && bytes.size() >= packet_.length) {
      const std::span<const std::byte> data = bytes.first(packet_.length);
      bytes = bytes.subspan(packet_.length);
      violation_ = finish(data);
      continue;
    }
    const std::span<std::byte> place = room();
    const std::size_t taken = std::min(bytes.size(), place.size());
    std::memcpy(place.data(), bytes.data(), taken);
    bytes = bytes.subspan(taken);
    violation_ = filled(taken);
  }
  return violation_;
}

std::span<std::byte> PacketReader::room() {
  if (!violation_.ok() || header_filled_ < kHeaderBytes) return {};
  if (data_.empty()) find_place();
  return data_.subspan(data_filled_);
}

void PacketReader::find_place() {
  data_ = place_(packet_);
  if (data_.size() == packet_.length) return;
  if (kept_.size() < packet_.length) kept_.resize(packet_.length);
  data_ = std::span(kept_).first(packet_.length);
}

Error PacketReader::filled(std::size_t bytes) {
  data_filled_ += bytes;
  if (violation_.ok() && data_filled_ == data_.size()) violation_ = finish(data_);
  return violation_;
}

// The header is complete. A packet without data is then complete, too.
Error PacketReader::begin() {
  packet_ = decode(header_);
  if (!carries_data(packet_.type)) return finish({});
  if (packet_.length > data_bytes_)
    return {Loss::kPeer, "IMPI packet",
            "it has more data than the hosts agreed upon (IMPI_C_DATALEN)"};
  if (packet_.length > packet_.message_length)
    return {Loss::kPeer, "IMPI packet", "it has more data than its message"};
  return packet_.length == 0 ? finish({}) : Error();
}

Error PacketReader::finish(std::span<const std::byte> data) {
  header_filled_ = 0;
  data_filled_ = 0;
  data_ = {};
  if (static_cast<std::uint32_t>(packet_.type) > kHighestPacketType) return {};
  return handler_(packet_, data);
}

}  // namespace lintel::mpi::impi
