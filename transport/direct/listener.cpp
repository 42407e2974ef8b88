#include "transport/direct/listener.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "transport/address/address.h"

namespace lintel::transport {

Error Listener::open(const NetworkOptions& options, SocketEvents& events) {
  const Result<NodeId> nid = parse_node(options.interface_address);
  if (!nid) return nid.error();
  if (Error error = check_port_base(options.port_base); !error.ok()) return error;
  // The system may choose the one port that is no valid pid.
  constexpr int kTries = 4;
  for (int tried = 1;; ++tried) {
    own_ = {};
    own_.sin_family = AF_INET;
    own_.sin_addr.s_addr = htonl(nid->value);
    if (options.pid != kAnyPid) {
      const Result<sockaddr_in> address =
          socket_address_of({nid.value(), options.pid}, options.port_base);
      if (!address) return address.error();
      own_ = address.value();
    }
    Result<PrivateDescriptor> listening = listen_at(own_);
    if (!listening) return listening.error();
    socket_ = std::move(listening).value();
    name_ = name_of(own_, options.port_base);
    const Result<std::uint16_t> port = port_of(name_.pid, options.port_base);
    if (port) break;
    if (tried == kTries) return port.error();
  }
  if (!events.watch(socket_.get(), watched_, EPOLLIN, nullptr))
    return {Loss::kInterface, "epoll_ctl", "the system does not watch the socket", errno};
  return {};
}

AcceptedSocket Listener::accept(TimePoint now, SocketEvents& events) {
  AcceptedSocket accepted = accept_at(socket_.get(), own_);
  constexpr int kMissing[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
  if (std::find(std::begin(kMissing), std::end(kMissing), accepted.error) != std::end(kMissing)) {
    pause(now, events);
    accepted.error = 0;
  }
  return accepted;
}

void Listener::pause(TimePoint now, SocketEvents& events) {
  events.watch(socket_.get(), watched_, 0, nullptr);
  again_at_ = now + kPause;
}

void Listener::end_pause(TimePoint now, SocketEvents& events) {
  if (again_at_ > now) return;
  events.watch(socket_.get(), watched_, EPOLLIN, nullptr);
  again_at_ = kNever;
}

}  // namespace lintel::transport
