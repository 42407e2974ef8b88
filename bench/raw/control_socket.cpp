#include "bench/raw/control_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace lintel::bench {
namespace {

constexpr std::size_t kLongestMessage = 4096;

[[noreturn]] void other_process_is_gone() {
  throw std::runtime_error("the other process of the measurement ended early.");
}

}  // namespace

std::pair<ControlSocket, ControlSocket> ControlSocket::make_pair() {
  int ends[2];
  // SOCK_SEQPACKET: one send is one receive.
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {ControlSocket(ends[0]), ControlSocket(ends[1])};
}

ControlSocket::~ControlSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

void ControlSocket::send(const std::string& message) {
  if (::send(descriptor_, message.data(), message.size(), MSG_NOSIGNAL) < 0)
    other_process_is_gone();
}

std::optional<std::string> ControlSocket::receive(int flags) {
  std::string message(kLongestMessage, '\0');
  const ssize_t length = recv(descriptor_, message.data(), message.size(), flags);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (length <= 0) other_process_is_gone();
  message.resize(static_cast<std::size_t>(length));
  return message;
}

std::optional<std::string> ControlSocket::receive_if_any() { return receive(MSG_DONTWAIT); }

std::string ControlSocket::receive() {
  for (;;) {
    if (std::optional<std::string> message = receive(0)) return *std::move(message);
  }
}

void ControlSocket::check_alive() const {
  pollfd state{descriptor_, 0, 0};
  if (::poll(&state, 1, 0) > 0 && (state.revents & POLLHUP) != 0) other_process_is_gone();
}

}  // namespace lintel::bench
