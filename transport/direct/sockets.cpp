#include "transport/direct/sockets.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "transport/address/address.h"
#include "transport/address/pacing.h"

namespace lintel::transport {
namespace {

constexpr int kBacklog = 1024;

void set(int fd, int level, int option, int value) {
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof value));
}

PrivateDescriptor new_socket() {
  return PrivateDescriptor(
      FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Error failed(Loss loss, const char* call, const char* reason) {
  return {loss, call, reason, errno};
}

// Why this process cannot begin a connection.
Error obstacle(const char* call) {
  const int code = errno;
  switch (code) {
    case EMFILE:
      return {Loss::kPeer, call,
              "this process has no free file descriptor for a connection; expected: a higher limit "
              "of open files (ulimit -n)",
              code};
    case ENFILE:
      return {Loss::kPeer, call,
              "the machine has no free file descriptor for a connection; expected: a higher "
              "fs.file-max",
              code};
    case ENOBUFS:
    case ENOMEM: return {Loss::kPeer, call, "the system has no memory for a connection", code};
    case EADDRNOTAVAIL:
      return {Loss::kPeer, call,
              "this machine has no free port for a connection; expected: a wider "
              "net.ipv4.ip_local_port_range",
              code};
    case ENETUNREACH:
    case EHOSTUNREACH: return {Loss::kPeer, call, "there is no route to the peer", code};
    default: return {Loss::kPeer, call, "the system does not begin a connection", code};
  }
}

template <class Call>
ssize_t uninterrupted(Call call) {
  for (;;) {
    const ssize_t got = call();
    if (got >= 0 || errno != EINTR) return got;
  }
}

}  // namespace

Result<PrivateDescriptor> listen_at(sockaddr_in& own) {
  PrivateDescriptor fd = new_socket();
  if (!fd.is_open()) return failed(Loss::kInterface, "socket", "the system gives no socket");
  // Although connections of an earlier process on this port may be in TIME_WAIT.
  set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(fd.get(), generic(own), sizeof own) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return failed(Loss::kInterface, "bind",
                  errno == EADDRINUSE ? "the name is in use by another process"
                                      : "cannot listen at the address");
  }
  socklen_t length = sizeof own;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
    return failed(Loss::kInterface, "getsockname",
                  "the system does not tell the address of the socket");
  }
  return fd;
}

Result<PrivateDescriptor> connect_from(const sockaddr_in& own, const sockaddr_in& peer) {
  PrivateDescriptor fd = new_socket();
  if (!fd.is_open()) return obstacle("socket");
  sockaddr_in from = own;
  from.sin_port = 0;
  // The kernel may share a port between connections to different peers.
  set(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  set(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (on_this_machine(own, peer)) disable_pacing(fd.get());
  if (::bind(fd.get(), generic(from), sizeof from) != 0)
    return failed(Loss::kPeer, "bind", "cannot bind to the own address");
  if (::connect(fd.get(), generic(peer), sizeof peer) != 0 && errno != EINPROGRESS) {
    if (errno != ECONNREFUSED) return obstacle("connect");
    return failed(Loss::kPeer, "connect", "nobody accepts a connection at the peer's address");
  }
  return fd;
}

int outcome_of_connect(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

bool addresses_of(int fd, sockaddr_in& own, sockaddr_in& peer) {
  socklen_t own_length = sizeof own;
  socklen_t peer_length = sizeof peer;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_length) == 0 &&
         ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_length) == 0;
}

ConnectionBinding binding_of(int fd, const sockaddr_in& listening) {
  sockaddr_in near{};
  sockaddr_in far{};
  if (!addresses_of(fd, near, far)) return {};
  ConnectionBinding binding;
  // A port on which somebody listens is never chosen for a socket that connects.
  binding.made_by_peer = near.sin_port == listening.sin_port;
  const sockaddr_in* const ends[] = {binding.made_by_peer ? &far : &near,
                                     binding.made_by_peer ? &near : &far};
  std::byte* at = binding.bytes.data();
  for (const sockaddr_in* const end : ends) {
    std::memcpy(at, &end->sin_addr.s_addr, 4);
    std::memcpy(at + 4, &end->sin_port, 2);
    at += 6;
  }
  return binding;
}

AcceptedSocket accept_at(int listener, const sockaddr_in& own) {
  AcceptedSocket accepted;
  socklen_t length = sizeof accepted.address;
  accepted.fd = PrivateDescriptor(FileDescriptor(static_cast<int>(uninterrupted([&] {
    return ::accept4(listener, reinterpret_cast<sockaddr*>(&accepted.address), &length,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
  }))));
  if (!accepted.fd.is_open()) {
    accepted.error = errno == EAGAIN || errno == EWOULDBLOCK ? 0 : errno;
    return accepted;
  }
  set(accepted.fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (on_this_machine(own, accepted.address)) disable_pacing(accepted.fd.get());
  return accepted;
}

Nanoseconds silence_of(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return Nanoseconds::max();
  return std::chrono::milliseconds(std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv));
}

bool has_been_ended(int fd) {
  std::byte next{};
  const ssize_t got = ::recv(fd, &next, sizeof next, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN);
}

// A socket that is closed with unread data resets its connection, and data on the way to the peer
// may be lost. So unread data are discarded first.
void finish_sending(int fd) {
  constexpr int kMostReads = 64;
  constexpr std::size_t kAll = std::size_t{1} << 30;
  ::shutdown(fd, SHUT_WR);
  for (int read = 0; read < kMostReads; ++read) {
    // Discarded without a copy.
    if (::recv(fd, nullptr, kAll, MSG_DONTWAIT | MSG_TRUNC) <= 0) return;
  }
}

// By connect(2) with no address, which also works while a child process holds the socket.
void reset_connection(int fd) {
  const sockaddr nobody{AF_UNSPEC, {}};
  static_cast<void>(::connect(fd, &nobody, sizeof nobody));
}

void end_socket(PrivateDescriptor fd) { ::shutdown(fd.get(), SHUT_RDWR); }

ssize_t send_to(int fd, std::span<const iovec> pieces) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  return uninterrupted([&]() -> ssize_t {
    if (pieces.size() == 1) return ::send(fd, pieces[0].iov_base, pieces[0].iov_len, MSG_NOSIGNAL);
    return ::sendmsg(fd, &message, MSG_NOSIGNAL);
  });
}

ssize_t receive_from(int fd, std::span<const iovec> pieces) {
  return uninterrupted([&]() -> ssize_t {
    if (pieces.size() == 1) return ::recv(fd, pieces[0].iov_base, pieces[0].iov_len, 0);
    return ::readv(fd, pieces.data(), static_cast<int>(pieces.size()));
  });
}

ssize_t look_at(int fd, std::span<const iovec> pieces) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  return uninterrupted([&] { return ::recvmsg(fd, &message, MSG_PEEK); });
}

void take_out(int fd, std::size_t bytes) {
  while (bytes > 0) {
    // tcp(7): with MSG_TRUNC it is not copied.
    const ssize_t taken =
        uninterrupted([&] { return ::recv(fd, nullptr, bytes, MSG_TRUNC | MSG_DONTWAIT); });
    if (taken <= 0) return;  // the connection is lost
    bytes -= static_cast<std::size_t>(taken);
  }
}

void set_low_water(int fd, std::size_t bytes) {
  set(fd, SOL_SOCKET, SO_RCVLOWAT, static_cast<int>(bytes));
}

Error broken(int code) {
  switch (code) {
    case EBADF:
    case ENOTSOCK: return {Loss::kPeer, "recv", kClosedByOthers, code};
    case 0: return {Loss::kPeer, "recv", "the peer has closed the connection"};
    case ETIMEDOUT: return {Loss::kPeer, "recv", "the peer does not answer", code};
    case EHOSTUNREACH: return {Loss::kPeer, "recv", "there is no route to the peer", code};
    default: return {Loss::kPeer, "recv", "the connection to the peer is broken", code};
  }
}

}  // namespace lintel::transport
