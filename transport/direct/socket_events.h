#pragma once
// SocketEvents: the epoll instance of a DirectTransport, which says what sockets are ready.
//
// A member of DirectTables; guarded by its owner's lock. Borrows the sockets while they are
// watched.
// Does not: read or write sockets.

#include <sys/epoll.h>

#include <cstdint>
#include <span>

#include "base/private_descriptor.h"
#include "base/result.h"

namespace lintel::transport {

class SocketEvents {
 public:
  static constexpr std::uint32_t kUnwatched = 0xffffffffU;

  // Error: kInterface, the system gives no descriptor.
  Error open();

  // Watches the socket for these events; they are reported with `of`. `watched` is what it was
  // watched for, or kUnwatched, and is changed. False: the system does not watch it.
  bool watch(int socket, std::uint32_t& watched, std::uint32_t events, void* of);
  // No effect if it is not watched. epoll must be told before a socket is closed, because a child
  // process may hold it too.
  void stop_watching(int socket, std::uint32_t& watched);

  // Collects the events that are there now, without waiting. Returns their number; -1 with errno:
  // epoll was closed, and not by this process' transport.
  int ready(std::span<epoll_event> events);
  int descriptor() const { return epoll_.get(); }

 private:
  PrivateDescriptor epoll_;
};

}  // namespace lintel::transport
