#include "transport/direct/socket_events.h"

#include <cerrno>

namespace lintel::transport {

Error SocketEvents::open() {
  epoll_ = PrivateDescriptor(FileDescriptor(::epoll_create1(EPOLL_CLOEXEC)));
  if (epoll_.is_open()) return {};
  return {Loss::kInterface, "epoll_create1", "the system gives no descriptor to wait on", errno};
}

bool SocketEvents::watch(int socket, std::uint32_t& watched, std::uint32_t events, void* of) {
  if (watched == events) return true;
  const int change = watched == kUnwatched ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  watched = events;
  epoll_event event{events, {.ptr = of}};
  return ::epoll_ctl(epoll_.get(), change, socket, &event) == 0;
}

void SocketEvents::stop_watching(int socket, std::uint32_t& watched) {
  if (watched != kUnwatched) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
  watched = kUnwatched;
}

int SocketEvents::ready(std::span<epoll_event> events) {
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  return count < 0 && errno == EINTR ? 0 : count;
}

}  // namespace lintel::transport
