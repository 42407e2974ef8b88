#pragma once
// Converts the name of a process (nid, pid) to the address that a provider uses, and back. Pure
// functions; no state, no I/O.
//
// TCP: the nid is the IPv4 address in host byte order. A pid below 1024 is the port `port_base` +
// pid; any other pid is the port itself. The pids that equal one of the ports [port_base, port_base
// + 1023] are invalid, so that every port has one pid. 65535 is invalid too, because it means any
// pid to programs of Portals 4.
// Shared memory: the name is a string, "lintel-<nid in hex>-<pid>-<incarnation in hex>".

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"

namespace lintel::transport {

inline constexpr std::uint32_t kWellKnownPids = 1024;  // pids below this are relative to the port
                                                       // base
inline constexpr std::uint32_t kDefaultPortBase = 27000;
inline constexpr Pid kAnyPid{0xffffffffU};

// Error: `port_base` is 0, or port_base + 1023 is greater than the largest port.
Error check_port_base(std::uint32_t port_base);

// Error: the pid is no port, means any pid, or equals a port of a pid below 1024. REQUIRES:
// check_port_base(port_base).ok().
Result<std::uint16_t> port_of(Pid pid, std::uint32_t port_base);

// The inverse of port_of(), for the ports that it returns. Every port from 1024 on has exactly one
// pid, except 65535 if it is not the port of a pid below 1024.
Pid pid_of(std::uint16_t port, std::uint32_t port_base);

// The pid to try at attempt number `turn` for a process that accepts any pid, on a network without
// ports. Starts at the process id and wraps around. Never a pid below 1024, which a process has to
// ask for, nor one that port_of() refuses. The first kAnyPids attempts have different pids.
Pid any_pid(std::uint32_t process_id, std::uint32_t turn, std::uint32_t port_base);
inline constexpr std::uint32_t kAnyPids = 65535 - 2 * kWellKnownPids;

// Error: not a dotted IPv4 address, or not the address of a single host (any, broadcast,
// multicast).
Result<NodeId> parse_node(const std::string& dotted);
Error check_node(NodeId nid);
std::string to_string(NodeId nid);

// Error: as port_of() and check_node().
Result<sockaddr_in> socket_address_of(ProcessId name, std::uint32_t port_base);
ProcessId name_of(const sockaddr_in& address, std::uint32_t port_base);

bool is_loopback(const sockaddr_in& address);
// Whether connections between the two addresses stay on this machine. REQUIRES: `own` is an address
// of this machine.
bool on_this_machine(const sockaddr_in& own, const sockaddr_in& peer);

// A sentence that says why a transport could not listen: "cannot listen on 127.0.0.1, pid 5 (TCP
// port 27005), provider net: ...". `port_base` 0: the pid is no port. `provider` may be empty.
// `meaning` is the text of the error's code.
std::string explain_opening(const std::string& interface_address, Pid pid, std::uint32_t port_base,
                            const std::string& provider, const Error& error, const char* meaning);

// `incarnation` distinguishes this process from earlier ones of the same name. Error: as
// check_node(), or kAnyPid.
Result<std::string> shared_memory_name_of(ProcessId name, std::uint32_t incarnation);

}  // namespace lintel::transport
