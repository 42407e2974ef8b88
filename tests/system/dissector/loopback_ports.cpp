#include "loopback_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "transport/address/address.h"

namespace lintel::test {
namespace {

constexpr std::uint32_t kNetwork = 0x7f400000;   // 127.64.0.0/10
constexpr std::uint32_t kLargestPid = 1U << 22;  // as many as the network has addresses

}  // namespace

LoopbackPorts free_loopback_ports() {
  const std::uint32_t host = kNetwork | (static_cast<std::uint32_t>(getpid()) % kLargestPid);
  std::array<int, 2> sockets{};
  std::array<std::uint16_t, 2> ports{};
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(host);
    socklen_t length = sizeof address;
    if (bind(sockets[i], reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        getsockname(sockets[i], reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("no free port on loopback");
    }
    ports[i] = ntohs(address.sin_port);
  }
  for (const int each : sockets) close(each);
  return {transport::to_string(NodeId(host)), ports[0], ports[1]};
}

}  // namespace lintel::test
