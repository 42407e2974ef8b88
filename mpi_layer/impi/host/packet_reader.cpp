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
    const std::size_t missing = data_expected_ - data_.size();
    const std::size_t taken = std::min(bytes.size(), missing);
    const std::span<const std::byte> piece = bytes.first(taken);
    bytes = bytes.subspan(taken);
    // What lies in one piece is handed on where it lies.
    if (taken == data_expected_) {
      violation_ = finish(piece);
      continue;
    }
    data_.insert(data_.end(), piece.begin(), piece.end());
    if (taken == missing) violation_ = finish(data_);
  }
  return violation_;
}

// The header is whole. A packet without data is, too.
Error PacketReader::begin() {
  packet_ = decode(header_);
  data_.clear();
  if (!carries_data(packet_.type)) return finish({});
  if (packet_.length > data_bytes_) return {Loss::kPeer, "IMPI packet", "it has more data than the hosts agreed upon (IMPI_C_DATALEN)"};
  if (packet_.length > packet_.message_length) return {Loss::kPeer, "IMPI packet", "it has more data than its message"};
  data_expected_ = packet_.length;
  return data_expected_ == 0 ? finish({}) : Error();
}

Error PacketReader::finish(std::span<const std::byte> data) {
  header_filled_ = 0;
  if (static_cast<std::uint32_t>(packet_.type) > kHighestPacketType) return {};
  return handler_(packet_, data);
}

}  // namespace lintel::mpi::impi
