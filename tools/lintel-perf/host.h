#pragma once
// What the tool asks the operating system: names, addresses, CPUs.

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>
#include <string>
#include <thread>

#include "clock.h"
#include "failure.h"

namespace lintel::perf {

// The IPv4 address of a host name or of a dotted address, in host byte order. Throws
// PerfFailure(kUnusable) if there is none, or no answer within `limit`.
inline std::uint32_t resolve(const std::string& name, Seconds limit) {
  static constexpr const char* kExpected = "expected the IPv4 address or the name of a host";
  using Resolution = std::pair<int, sockaddr_in>;
  std::promise<Resolution> promise;
  std::future<Resolution> future = promise.get_future();
  // Name servers may take their time; the thread is left behind then, the process ends soon.
  std::thread([name, promise = std::move(promise)]() mutable {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    Resolution answer{::getaddrinfo(name.c_str(), nullptr, &hints, &found), {}};
    if (answer.first == 0) {
      std::memcpy(&answer.second, found->ai_addr, sizeof answer.second);
      ::freeaddrinfo(found);
    }
    promise.set_value(answer);
  }).detach();
  if (future.wait_for(limit) != std::future_status::ready) {
    refuse("'{}' was not resolved within {:.0f} s; {}", name, limit.count(), kExpected);
  }
  const auto [error, address] = future.get();
  if (error != 0) {
    refuse("'{}' is no address ({}); {}", name, ::gai_strerror(error), kExpected);
  }
  return ntohl(address.sin_addr.s_addr);
}

// The address of the interface through which packets to `nid` would leave; empty if there is none.
inline std::string address_towards(std::uint32_t nid) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(nid);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  std::array<char, INET_ADDRSTRLEN> text{};
  // Connecting a datagram socket sends nothing; it only chooses the route.
  if (::connect(socket, any, length) == 0 && ::getsockname(socket, any, &length) == 0) {
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  }
  ::close(socket);
  return text.data();
}

inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// Confines this thread, and those it starts later, to `cpu`. Throws PerfFailure(kUnusable) if there
// is none.
inline void pin_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return;
  refuse("--cpu: '{}' is not usable here; expected a CPU from 0 to {}", cpu,
         ::sysconf(_SC_NPROCESSORS_CONF) - 1);
}

}  // namespace lintel::perf
