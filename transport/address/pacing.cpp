#include "transport/address/pacing.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>

namespace lintel::transport {

// bbr and its later versions: bbr1, bbr2, bbr3.
bool paces(std::string_view congestion_control) { return congestion_control.starts_with("bbr"); }

void disable_pacing(int fd) {
  static constexpr char kAlgorithm[] = "reno";
  char own[16] = "";  // TCP_CA_NAME_MAX
  socklen_t length = sizeof own;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, own, &length) != 0 ||
      !paces({own, ::strnlen(own, sizeof own)}))
    return;
  static_cast<void>(
      ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kAlgorithm, sizeof kAlgorithm - 1));
}

}  // namespace lintel::transport
