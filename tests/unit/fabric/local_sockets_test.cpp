// Which sockets are set to reno: the provider's sockets that stay on this machine and whose
// congestion control paces, and no others.
#include "transport/fabric/local_sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "transport/address/address.h"
#include "transport/address/pacing.h"

namespace lintel::transport {
namespace {

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) { EXPECT_GE(fd, 0); }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

  sockaddr_in address() const {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &length), 0);
    return name;
  }
  std::string algorithm() const {
    char name[16] = "";
    socklen_t length = sizeof name;
    EXPECT_EQ(::getsockopt(fd_, IPPROTO_TCP, TCP_CONGESTION, name, &length), 0);
    return name;
  }
  bool use(const std::string& algorithm) const {
    return ::setsockopt(fd_, IPPROTO_TCP, TCP_CONGESTION, algorithm.data(),
                        static_cast<socklen_t>(algorithm.size())) == 0;
  }

 private:
  int fd_;
};

// The congestion control of these tests' sockets at first: bbr if the kernel permits it, else
// cubic, which is kept.
const std::string& before() {
  static const std::string name =
      Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)).use("bbr") ? "bbr" : "cubic";
  return name;
}
std::string expected_algorithm() { return paces(before()) ? "reno" : before(); }

sockaddr_in ipv4(const char* dotted) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  EXPECT_EQ(::inet_pton(AF_INET, dotted, &address.sin_addr), 1);
  return address;
}

Socket listener(const char* dotted) {
  Socket made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = ipv4(dotted);
  EXPECT_EQ(::bind(made.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(made.fd(), 4), 0);
  EXPECT_TRUE(made.use(before()));
  return made;
}

Socket connection(const Socket& to) {
  Socket made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_TRUE(made.use(before()));
  const sockaddr_in address = to.address();
  EXPECT_EQ(::connect(made.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return made;
}

Socket accepted(const Socket& from) { return Socket(::accept(from.fd(), nullptr, nullptr)); }

TEST(LocalSockets, StayOnThisMachineWhenBothEndsAreLoopbackOrTheSameNode) {
  EXPECT_TRUE(on_this_machine(ipv4("127.0.0.1"), ipv4("127.0.0.1")));
  EXPECT_TRUE(on_this_machine(ipv4("127.0.0.1"), ipv4("127.3.2.1")));
  EXPECT_TRUE(on_this_machine(ipv4("10.0.0.1"), ipv4("10.0.0.1")));
  EXPECT_FALSE(on_this_machine(ipv4("10.0.0.1"), ipv4("10.0.0.2")));
  EXPECT_FALSE(on_this_machine(ipv4("10.0.0.1"), ipv4("127.0.0.1")));
}

TEST(LocalSockets, KeepACongestionControlThatDoesNotPace) {
  for (const char* pacing : {"bbr", "bbr2", "bbr3"}) EXPECT_TRUE(paces(pacing)) << pacing;
  for (const char* other : {"cubic", "reno", "dctcp", "htcp", ""})
    EXPECT_FALSE(paces(other)) << other;
  const Socket own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_TRUE(own.use("cubic") || own.use("reno"));  // not every user may choose cubic
  const std::string kept = own.algorithm();
  disable_pacing(own.fd());
  EXPECT_EQ(own.algorithm(), kept);
}

TEST(LocalSockets, ThatAFreedListenerAcceptsLaterAreFree) {
  const Socket own = listener("127.0.0.1");
  const Socket other = listener("127.0.0.1");
  EXPECT_EQ(disable_pacing_of_listener(own.address()), 1U);
  const Socket caller = connection(own);
  EXPECT_EQ(accepted(own).algorithm(), expected_algorithm());
  EXPECT_EQ(other.algorithm(), before());
  EXPECT_EQ(caller.algorithm(), before());
}

TEST(LocalSockets, OfOnePeerAreThoseConnectedToItAndThoseAcceptedFromItsNode) {
  const Socket own = listener("127.0.0.1");
  const Socket peer = listener("127.0.0.2");
  const Socket stranger = listener("127.0.0.3");
  const Socket to_peer = connection(peer);
  const Socket to_stranger = connection(stranger);
  const Socket caller = connection(own);
  const Socket from_own_node = accepted(own);

  EXPECT_EQ(disable_pacing_of_connections(own.address(), peer.address()), 1U);
  EXPECT_EQ(to_peer.algorithm(), expected_algorithm());
  EXPECT_EQ(to_stranger.algorithm(), before());
  EXPECT_EQ(from_own_node.algorithm(), before());
  EXPECT_EQ(own.algorithm(), before());

  // The peer on our own node: its processes have connected to us.
  const Socket neighbour = listener("127.0.0.1");
  EXPECT_EQ(disable_pacing_of_connections(own.address(), neighbour.address()), 1U);
  EXPECT_EQ(from_own_node.algorithm(), expected_algorithm());
  EXPECT_EQ(caller.algorithm(), before());
}

}  // namespace
}  // namespace lintel::transport
