#include "transport/address/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>

namespace lintel::transport {
namespace {

constexpr std::uint32_t kMaxPort = 65535;
constexpr std::uint32_t kMeansAny = 65535;  // PTL_PID_ANY of portals4.h

bool reserved_for_small_pids(std::uint32_t port, std::uint32_t port_base) {
  return port >= port_base && port - port_base < kWellKnownPids;
}

}  // namespace

Error check_port_base(std::uint32_t port_base) {
  if (port_base == 0 || port_base > kMaxPort - (kWellKnownPids - 1)) {
    return {Loss::kOperation, "port_base",
            "the port base must leave room for 1024 ports: 1 to 64512"};
  }
  return {};
}

Result<std::uint16_t> port_of(Pid pid, std::uint32_t port_base) {
  if (pid.value < kWellKnownPids) return static_cast<std::uint16_t>(port_base + pid.value);
  if (pid.value > kMaxPort)
    return Error{Loss::kOperation, "port_of", "the pid is greater than the largest port, 65535"};
  if (pid.value == kMeansAny)
    return Error{Loss::kOperation, "port_of", "the pid 65535 means any pid and names no process"};
  if (reserved_for_small_pids(pid.value, port_base)) {
    return Error{Loss::kOperation, "port_of",
                 "the pid spells a port that belongs to a pid below 1024"};
  }
  return static_cast<std::uint16_t>(pid.value);
}

Pid pid_of(std::uint16_t port, std::uint32_t port_base) {
  return reserved_for_small_pids(port, port_base) ? Pid(port - port_base) : Pid(port);
}

Pid any_pid(std::uint32_t process_id, std::uint32_t turn, std::uint32_t port_base) {
  // All pids in order, without those that equal ports of pids below 1024. These may lie partly
  // outside of the range.
  const std::uint32_t first_gap = std::clamp(port_base, kWellKnownPids, kMeansAny);
  const std::uint32_t gap =
      std::clamp(port_base + kWellKnownPids, kWellKnownPids, kMeansAny) - first_gap;
  const std::uint32_t pids = kMeansAny - kWellKnownPids - gap;
  const auto number = static_cast<std::uint32_t>((std::uint64_t{process_id} + turn) % pids);
  const std::uint32_t pid = kWellKnownPids + number;
  return Pid(pid < first_gap ? pid : pid + gap);
}

Result<NodeId> parse_node(const std::string& dotted) {
  in_addr address{};
  if (::inet_pton(AF_INET, dotted.c_str(), &address) != 1) {
    return Error{Loss::kOperation, "parse_node", "not an IPv4 address such as 192.0.2.1"};
  }
  const NodeId nid(ntohl(address.s_addr));
  if (Error error = check_node(nid); !error.ok()) return error;
  return nid;
}

Error check_node(NodeId nid) {
  // 224.0.0.0; from here on: multicast, reserved, broadcast
  constexpr std::uint32_t kFirstMulticast = 0xE0000000U;
  if (nid.value == 0 || nid.value >= kFirstMulticast) {
    return {Loss::kOperation, "check_node", "the address does not name one single host"};
  }
  return {};
}

std::string to_string(NodeId nid) {
  char text[16];
  std::snprintf(text, sizeof text, "%u.%u.%u.%u", nid.value >> 24, (nid.value >> 16) & 0xffU,
                (nid.value >> 8) & 0xffU, nid.value & 0xffU);
  return text;
}

Result<sockaddr_in> socket_address_of(ProcessId name, std::uint32_t port_base) {
  if (Error error = check_node(name.nid); !error.ok()) return error;
  const Result<std::uint16_t> port = port_of(name.pid, port_base);
  if (!port) return port.error();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(name.nid.value);
  address.sin_port = htons(port.value());
  return address;
}

ProcessId name_of(const sockaddr_in& address, std::uint32_t port_base) {
  return {NodeId(ntohl(address.sin_addr.s_addr)), pid_of(ntohs(address.sin_port), port_base)};
}

bool is_loopback(const sockaddr_in& address) { return ntohl(address.sin_addr.s_addr) >> 24 == 127; }

bool on_this_machine(const sockaddr_in& own, const sockaddr_in& peer) {
  return own.sin_addr.s_addr == peer.sin_addr.s_addr || (is_loopback(own) && is_loopback(peer));
}

std::string explain_opening(const std::string& interface_address, Pid pid, std::uint32_t port_base,
                            const std::string& provider, const Error& error, const char* meaning) {
  std::string text = "cannot listen on " + interface_address;
  text += pid == kAnyPid ? ", any pid" : ", pid " + std::to_string(pid.value);
  if (port_base != 0 && pid != kAnyPid) {
    if (const Result<std::uint16_t> port = port_of(pid, port_base); port)
      text += " (TCP port " + std::to_string(port.value()) + ")";
  }
  if (!provider.empty()) text += ", provider " + provider;
  text += std::string(": ") + error.reason() + " (" + error.call();
  if (error.code() != 0) text += std::string(": ") + meaning;
  return text + ")";
}

Result<std::string> shared_memory_name_of(ProcessId name, std::uint32_t incarnation) {
  if (Error error = check_node(name.nid); !error.ok()) return error;
  if (name.pid == kAnyPid)
    return Error{Loss::kOperation, "shared_memory_name_of", "the pid \"any\" names no process"};
  char text[48];
  std::snprintf(text, sizeof text, "lintel-%08x-%u-%08x", name.nid.value, name.pid.value,
                incarnation);
  return std::string(text);
}

}  // namespace lintel::transport
