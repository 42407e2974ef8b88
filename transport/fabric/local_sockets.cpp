#include "transport/fabric/local_sockets.h"

#include <dirent.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>

#include "transport/address/address.h"
#include "transport/address/pacing.h"

namespace lintel::transport {
namespace {

using AddressOf = int (*)(int, sockaddr*, socklen_t*);

// The address that `address_of` (getsockname or getpeername) gives. Family AF_UNSPEC: not an IPv4
// socket, or not connected.
sockaddr_in ask(AddressOf address_of, int fd) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  const bool known = address_of(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
                     length == sizeof address;
  if (!known || address.sin_family != AF_INET) address.sin_family = AF_UNSPEC;
  return address;
}

bool same_node(const sockaddr_in& a, const sockaddr_in& b) {
  return a.sin_family == b.sin_family && a.sin_addr.s_addr == b.sin_addr.s_addr;
}

bool same(const sockaddr_in& a, const sockaddr_in& b) {
  return same_node(a, b) && a.sin_port == b.sin_port;
}

// Calls disable_pacing() for each socket of this process for which `wanted(local address, remote
// address)` is true. By readdir(), because without memory the iterators of std::filesystem end the
// process.
template <class Wanted>
std::size_t free_sockets(Wanted wanted) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
  if (!folder) return 0;
  std::size_t found = 0;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const char* const name = entry->d_name;
    int fd = -1;
    if (std::from_chars(name, name + std::strlen(name), fd).ec != std::errc{}) continue;
    if (!wanted(ask(::getsockname, fd), ask(::getpeername, fd))) continue;
    ++found;
    disable_pacing(fd);
  }
  return found;
}

}  // namespace

std::size_t disable_pacing_of_listener(const sockaddr_in& own) {
  if (!is_loopback(own)) return 0;
  return free_sockets([&own](const sockaddr_in& local, const sockaddr_in& remote) {
    return same(local, own) && remote.sin_family == AF_UNSPEC;
  });
}

std::size_t disable_pacing_of_connections(const sockaddr_in& own, const sockaddr_in& peer) {
  return free_sockets([&](const sockaddr_in& local, const sockaddr_in& remote) {
    return same(remote, peer) || (same(local, own) && same_node(remote, peer));
  });
}

}  // namespace lintel::transport
