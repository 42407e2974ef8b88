#include "host.h"

#include <arpa/inet.h>
#include <fmt/format.h>
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
  Lookup result;
  result.error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (result.error != 0) return result;
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof address);
  result.nid = ntohl(address.sin_addr.s_addr);
  ::freeaddrinfo(found);
  return result;
}

}  // namespace

ptl_nid_t resolve(const std::string& name, std::chrono::duration<double> limit) {
  static constexpr const char* kExpected = "expected the IPv4 address or the name of a host";
  in_addr dotted{};
  if (::inet_pton(AF_INET, name.c_str(), &dotted) == 1) return ntohl(dotted.s_addr);
  // Name servers may take their time; the thread is left behind then, the process ends soon.
  std::promise<Lookup> promise;
  std::future<Lookup> answer = promise.get_future();
  std::thread([name, promise = std::move(promise)]() mutable { promise.set_value(look_up(name)); }).detach();
  if (answer.wait_for(limit) != std::future_status::ready) {
    throw Failure(ExitCode::kUnusable, fmt::format("'{}' was not resolved within {:.0f} s; {}", name, limit.count(), kExpected));
  }
  const Lookup result = answer.get();
  if (result.error != 0) {
    throw Failure(ExitCode::kUnusable, fmt::format("'{}' is no address ({}); {}", name, ::gai_strerror(result.error), kExpected));
  }
  return result.nid;
}

std::optional<std::string> address_towards(ptl_nid_t nid) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::nullopt;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(nid);
  socklen_t length = sizeof address;
  std::optional<std::string> result;
  // Connecting a datagram socket sends nothing; it only chooses the route.
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    std::array<char, INET_ADDRSTRLEN> text{};
    if (::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) != nullptr) result = text.data();
  }
  ::close(socket);
  return result;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

void pin_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw Failure(ExitCode::kUnusable,
                  fmt::format("--cpu: '{}' is not usable here; expected a CPU from 0 to {}", cpu, ::sysconf(_SC_NPROCESSORS_CONF) - 1));
  }
}

}  // namespace lintel::perf
