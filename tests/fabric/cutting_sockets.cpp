#include "tests/fabric/cutting_sockets.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "transport/direct/sockets.h"

namespace lintel::transport {

NextCuts cuts;

namespace {

bool same_address(const sockaddr_in& one, const sockaddr_in& other) {
  return one.sin_port == other.sin_port && one.sin_addr.s_addr == other.sin_addr.s_addr;
}

constexpr int kMostDescriptors = 256;

int other_end_of(int fd) {
  sockaddr_in near{};
  sockaddr_in far{};
  if (!addresses_of(fd, near, far)) return -1;
  for (int other = 0; other < kMostDescriptors; ++other) {
    sockaddr_in its_near{};
    sockaddr_in its_far{};
    if (addresses_of(other, its_near, its_far) && same_address(its_near, far) &&
        same_address(its_far, near))
      return other;
  }
  return -1;
}

void cut(int fd) {
  ++cuts.made;
  const int receiver = other_end_of(fd);  // not accepted yet: it has none
  int bytes = 0;
  if (::ioctl(fd, SIOCOUTQ, &bytes) == 0) cuts.held += static_cast<std::size_t>(bytes);
  if (::ioctl(receiver, FIONREAD, &bytes) == 0) cuts.held += static_cast<std::size_t>(bytes);
  if (receiver != -1 && cuts.end != CutEnd::kSender) reset_connection(receiver);
  if (receiver == -1 || cuts.end != CutEnd::kReceiver) reset_connection(fd);
}

// How many of `bytes` are sent before the next cut.
std::size_t allowed(std::size_t bytes) {
  return cuts.distances.empty() ? bytes : std::min(cuts.distances.back(), bytes);
}

void was_sent(int fd, ssize_t bytes) {
  if (bytes < 0 || cuts.distances.empty()) return;
  if (static_cast<std::size_t>(bytes) == cuts.distances.back()) {
    cuts.distances.pop_back();
    cut(fd);
  } else {
    cuts.distances.back() -= static_cast<std::size_t>(bytes);
  }
}

}  // namespace

void limit_kernel_buffers(int bytes) {
  for (int fd = 0; fd < kMostDescriptors; ++fd) {
    sockaddr_in near{};
    sockaddr_in far{};
    if (!addresses_of(fd, near, far)) continue;
    for (const int buffer : {SO_RCVBUF, SO_SNDBUF})
      EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, buffer, &bytes, sizeof bytes), 0);
  }
}

}  // namespace lintel::transport

extern "C" ssize_t send(int fd, const void* data, std::size_t bytes, int flags) {
  using namespace lintel::transport;
  const std::size_t now = allowed(bytes);
  if (now == 0) was_sent(fd, 0);  // the call meets it
  const ssize_t sent = ::syscall(SYS_sendto, fd, data, now == 0 ? bytes : now, flags, nullptr, 0);
  if (sent > 0) cuts.sent += static_cast<std::size_t>(sent);
  if (now != 0) was_sent(fd, sent);
  return sent;
}

extern "C" ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  std::vector<std::byte> whole;
  for (std::size_t i = 0; i < message->msg_iovlen; ++i) {
    const iovec& part = message->msg_iov[i];
    const auto* const data = static_cast<const std::byte*>(part.iov_base);
    whole.insert(whole.end(), data, data + part.iov_len);
  }
  return send(fd, whole.data(), whole.size(), flags);
}
