#pragma once
// HostId, ProcId: how IMPI names a machine, by an IPv6 address, and a process on it.
//
// Values. An IPv4 address has two forms, ::a.b.c.d and ::ffff:a.b.c.d, which are different names.
// Use the form in which the name was received.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace lintel::mpi::impi {

struct HostId {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const HostId&) const = default;
};

struct ProcId {
  HostId host;
  std::int64_t pid = 0;
  auto operator<=>(const ProcId&) const = default;
};

// ::a.b.c.d of an address in host byte order.
HostId host_id_of(std::uint32_t ipv4);

// The IPv4 address of either form, in host byte order; nothing for any other address.
std::optional<std::uint32_t> ipv4_of(const HostId& id);

// "10.0.0.1" of either form; eight groups of hexadecimal digits of any other address.
std::string text_of(const HostId& id);

}  // namespace lintel::mpi::impi
