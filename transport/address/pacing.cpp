#include "transport/address/pacing.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace lintel::transport {

void free_of_pacing(int fd) {
  static constexpr char kAlgorithm[] = "reno";
  static_cast<void>(::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, kAlgorithm, sizeof kAlgorithm - 1));
}

}  // namespace lintel::transport
