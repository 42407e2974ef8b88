#include "capture_file.h"

#include <vector>

namespace lintel::test {
namespace {

using Packet = std::vector<char>;

void put16(Packet& packet, std::uint32_t value) {
  packet.push_back(static_cast<char>(value >> 8));
  packet.push_back(static_cast<char>(value));
}

void put32(Packet& packet, std::uint32_t value) {
  put16(packet, value >> 16);
  put16(packet, value);
}

constexpr std::uint32_t kBothHeaders = 40;  // IPv4 and TCP, without options
constexpr std::uint32_t kPcapMagic = 0xa1b2c3d4;
constexpr std::uint32_t kRawIp = 101;  // link type: packets begin with the IP header

}  // namespace

CaptureFile::CaptureFile(const std::string& path) : file_(path, std::ios::binary) {
  Packet header;
  put32(header, kPcapMagic);
  put32(header, 0x00020004);  // version 2.4
  put32(header, 0);
  put32(header, 0);
  put32(header, 0x00040000);  // longest packet
  put32(header, kRawIp);
  file_.write(header.data(), static_cast<std::streamsize>(header.size()));
}

void CaptureFile::add(std::span<const std::byte> bytes, Direction direction) {
  const bool to_target = direction == Direction::kToTarget;
  const auto index = static_cast<std::size_t>(direction);
  const auto size = static_cast<std::uint32_t>(bytes.size());
  Packet packet;
  put32(packet, packets_++);  // seconds
  put32(packet, 0);
  put32(packet, kBothHeaders + size);
  put32(packet, kBothHeaders + size);
  // IPv4; checksums stay 0, because readers do not check them by default
  put32(packet, 0x45000000 | (kBothHeaders + size));
  put32(packet, 0x00004000);
  put32(packet, 0x40060000);
  put32(packet, to_target ? 0x0a000001 : 0x0a000002);
  put32(packet, to_target ? 0x0a000002 : 0x0a000001);
  put16(packet, to_target ? kInitiatorPort : kTargetPort);
  put16(packet, to_target ? kTargetPort : kInitiatorPort);
  put32(packet, sequence_[index]);
  put32(packet, sequence_[1 - index]);
  put32(packet, 0x5018ffff);  // header of 20 bytes; PSH, ACK; window
  put32(packet, 0);
  for (const std::byte byte : bytes) packet.push_back(static_cast<char>(byte));
  sequence_[index] += size;
  file_.write(packet.data(), static_cast<std::streamsize>(packet.size()));
}

}  // namespace lintel::test
