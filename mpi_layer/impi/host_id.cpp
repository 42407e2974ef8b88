#include "mpi_layer/impi/host_id.h"

#include <algorithm>
#include <cstdio>

namespace lintel::mpi::impi {

HostId host_id_of(std::uint32_t ipv4) {
  HostId id;
  for (unsigned i = 0; i < 4; ++i)
    id.bytes[12 + i] = static_cast<std::uint8_t>(ipv4 >> (8 * (3 - i)));
  return id;
}

std::optional<std::uint32_t> ipv4_of(const HostId& id) {
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  const bool is_mapped = id.bytes[10] == 0xff && id.bytes[11] == 0xff;
  const bool is_compatible = id.bytes[10] == 0 && id.bytes[11] == 0;
  if (!std::all_of(id.bytes.begin(), id.bytes.begin() + 10, is_zero) ||
      (!is_mapped && !is_compatible))
    return std::nullopt;
  std::uint32_t ipv4 = 0;
  for (unsigned i = 0; i < 4; ++i) ipv4 = ipv4 << 8 | id.bytes[12 + i];
  return ipv4;
}

std::string text_of(const HostId& id) {
  char text[48];
  if (const auto ipv4 = ipv4_of(id)) {
    std::snprintf(text, sizeof text, "%u.%u.%u.%u", *ipv4 >> 24, *ipv4 >> 16 & 0xff,
                  *ipv4 >> 8 & 0xff, *ipv4 & 0xff);
    return text;
  }
  std::string groups;
  for (std::size_t i = 0; i < id.bytes.size(); i += 2) {
    std::snprintf(text, sizeof text, "%s%x", i == 0 ? "" : ":",
                  static_cast<unsigned>(id.bytes[i] << 8 | id.bytes[i + 1]));
    groups += text;
  }
  return groups;
}

}  // namespace lintel::mpi::impi
