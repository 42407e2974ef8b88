#include "server_sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tools/lintel-run/failure.h"

namespace lintel::impi_server {
namespace {

using run::Descriptor;

std::string text_of(const sockaddr_in& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return fmt::format("{}:{}", text.data(), ntohs(address.sin_port));
}

[[noreturn]] void give_up(const char* call, const std::string& what) {
  const char* system_text = std::strerror(errno);
  throw run::Failure(run::kExitFailed, fmt::format("{}: {}: {}", what, call, system_text));
}

void set_option(const Descriptor& socket, int level, int option, int value) {
  ::setsockopt(socket.get(), level, option, &value, sizeof value);
}

// A machine that is gone says nothing, not even that: within about a minute its connection ends, also when nothing is sent for hours.
void watch_over(const Descriptor& socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

}  // namespace

ServerSockets::ServerSockets(mpi::impi::Server& server, const std::string& address, std::uint16_t port, bool is_verbose)
    : server_(server), is_verbose_(is_verbose), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &own.sin_addr) != 1) throw run::Failure(run::kExitFailed, address + " is no IPv4 address");
  const std::string what = fmt::format("cannot listen on {}", text_of(own));
  if (!listener_.is_open()) give_up("socket", what);
  set_option(listener_, SOL_SOCKET, SO_REUSEADDR, 1);
  socklen_t size = sizeof own;
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&own), size) != 0) give_up("bind", what);
  if (::listen(listener_.get(), SOMAXCONN) != 0) give_up("listen", what);
  if (::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) give_up("getsockname", what);
  address_ = text_of(own);
}

void ServerSockets::run() {
  while (!server_.is_over()) serve();
}

void ServerSockets::serve() {
  std::vector<pollfd> polled;
  std::vector<Connection> connections;
  for (const auto& [connection, link] : links_) {
    polled.push_back({link.socket.get(), static_cast<short>(link.outgoing.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    connections.push_back(connection);
  }
  if (listener_.is_open()) polled.push_back({listener_.get(), POLLIN, 0});
  const int ready = ::poll(polled.data(), polled.size(), patience());
  if (ready < 0 && errno != EINTR) give_up("poll", "cannot wait for clients");
  for (std::size_t i = 0; ready > 0 && i < connections.size(); ++i) {
    const auto found = links_.find(connections[i]);  // gone, if another one's bytes have ended it
    if (found == links_.end() || polled[i].revents == 0) continue;
    if ((polled[i].revents & POLLOUT) != 0) write_some(found->first, found->second);
    if ((polled[i].revents & ~POLLOUT) != 0) read_some(found->first, found->second);
    carry_out();
  }
  if (ready > 0 && listener_.is_open() && polled.back().revents != 0) accept_one();
  server_.advance(monotonic_now());
  carry_out();
}

int ServerSockets::patience() const {
  const TimePoint next = server_.next_deadline();
  if (next == kNever) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - monotonic_now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

void ServerSockets::accept_one() {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  Descriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.is_open()) {
    // What the network has to say of a connection that has ended already comes out here as well.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) give_up("accept4", "cannot take a connection");
    return;
  }
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  watch_over(socket);
  const Connection connection = server_.open(text_of(peer), monotonic_now());
  links_[connection].socket = std::move(socket);
}

void ServerSockets::read_some(Connection connection, Link& link) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(link.socket.get(), bytes.data(), bytes.size(), 0);
  if (got > 0) return server_.take(connection, {bytes.data(), static_cast<std::size_t>(got)}, monotonic_now());
  if (got == 0) return server_.lose(connection, "it closed its connection");
  if (errno != EINTR && errno != EAGAIN) server_.lose(connection, fmt::format("its connection has ended: recv: {}", std::strerror(errno)));
}

void ServerSockets::write_some(Connection connection, Link& link) {
  while (!link.outgoing.empty()) {
    const std::string& first = *link.outgoing.front();
    const ssize_t sent = ::send(link.socket.get(), first.data() + link.sent, first.size() - link.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) return server_.lose(connection, fmt::format("its connection has ended: send: {}", std::strerror(errno)));
    link.sent += static_cast<std::size_t>(sent);
    if (link.sent < first.size()) continue;
    link.outgoing.pop_front();
    link.sent = 0;
  }
}

void ServerSockets::carry_out() {
  if (!server_.accepts()) listener_.close();  // before clients are told that all have joined
  auto decisions = server_.take_decisions();
  while (!decisions.empty()) {
    for (auto& [connection, bytes] : decisions) {
      const auto found = links_.find(connection);
      if (found == links_.end()) continue;
      if (bytes == nullptr) {
        links_.erase(found);
        continue;
      }
      Link& link = found->second;
      link.outgoing.push_back(std::move(bytes));
      if (link.outgoing.size() == 1) write_some(connection, link);
    }
    decisions = server_.take_decisions();
  }
  for (const auto& [is_problem, sentence] : server_.take_notes()) {
    if (is_problem || is_verbose_) std::fputs(fmt::format("impi-server: {}\n", sentence).c_str(), stderr);  // who reads it may have left
  }
}

}  // namespace lintel::impi_server
