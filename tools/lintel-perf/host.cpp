#include "host.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>
#include <thread>

#include "failure.h"

namespace lintel::perf {
namespace {

struct Lookup {
  int error = 0;
  ptl_nid_t nid = 0;
};

Lookup look_up(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found)) return {error, 0};
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof address);
  ::freeaddrinfo(found);
  return {0, ntohl(address.sin_addr.s_addr)};
}

}  // namespace

ptl_nid_t resolve(const std::string& name, Seconds limit) {
  static constexpr const char* kExpected = "expected the IPv4 address or the name of a host";
  in_addr address{};
  if (::inet_pton(AF_INET, name.c_str(), &address) == 1) return ntohl(address.s_addr);
  // Name servers may take their time; the thread is left behind then, the process ends soon.
  std::promise<Lookup> promise;
  std::future<Lookup> answer = promise.get_future();
  std::thread([name, promise = std::move(promise)]() mutable {
    promise.set_value(look_up(name));
  }).detach();
  if (answer.wait_for(limit) != std::future_status::ready) {
    refuse("'{}' was not resolved within {:.0f} s; {}", name, limit.count(), kExpected);
  }
  const Lookup result = answer.get();
  if (result.error != 0) {
    refuse("'{}' is no address ({}); {}", name, ::gai_strerror(result.error), kExpected);
  }
  return result.nid;
}

std::string address_towards(ptl_nid_t nid) {
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

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

void pin_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    refuse("--cpu: '{}' is not usable here; expected a CPU from 0 to {}", cpu,
           ::sysconf(_SC_NPROCESSORS_CONF) - 1);
  }
}

}  // namespace lintel::perf
