#include "server_sockets.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tools/lintel-run/failure.h"

namespace lintel::impi_server {
namespace {

using namespace mpi::impi;

// after this time without an answer the machine counts as lost
constexpr Nanoseconds kSilence = std::chrono::seconds(60);

template <class T>
T value_of(mpi::Outcome<T> outcome) {
  if (!outcome.ok()) throw run::RunFailure(run::kExitFailed, outcome.sentence());
  return std::move(*outcome);
}

std::uint32_t ipv4_of(const std::string& text) {
  const auto ipv4 = parse_ipv4(text);
  if (!ipv4) throw run::RunFailure(run::kExitFailed, text + " is no IPv4 address");
  return *ipv4;
}

}  // namespace

ServerSockets::ServerSockets(Server& server, const std::string& address, std::uint16_t port,
                             bool is_verbose)
    : server_(server),
      is_verbose_(is_verbose),
      listener_(value_of(listen_on({ipv4_of(address), port}))),
      address_(text_of(own_address(listener_))) {}

void ServerSockets::run() {
  while (!server_.is_over()) serve();
}

void ServerSockets::serve() {
  std::vector<pollfd> polled;
  std::vector<ConnectionId> connections;
  for (const auto& [connection, link] : links_) {
    polled.push_back({link.socket.get(),
                      static_cast<short>(link.outgoing.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    connections.push_back(connection);
  }
  if (listener_.is_open()) polled.push_back({listener_.get(), POLLIN, 0});
  const int ready =
      ::poll(polled.data(), polled.size(), milliseconds_until(server_.next_deadline()));
  if (ready < 0 && errno != EINTR)
    throw run::RunFailure(run::kExitFailed,
                          fmt::format("cannot wait for clients: poll: {}", std::strerror(errno)));
  for (std::size_t i = 0; ready > 0 && i < connections.size(); ++i) {
    // missing if another connection's bytes have ended it
    const auto found = links_.find(connections[i]);
    if (found == links_.end() || polled[i].revents == 0) continue;
    if ((polled[i].revents & POLLOUT) != 0) write_some(found->first, found->second);
    if ((polled[i].revents & ~POLLOUT) != 0) read_some(found->first, found->second);
    carry_out();
  }
  if (ready > 0 && listener_.is_open() && polled.back().revents != 0) accept_one();
  server_.advance(monotonic_now());
  carry_out();
}

void ServerSockets::accept_one() {
  auto caller = value_of(accept_on(listener_));
  if (!caller) return;
  watch_over(caller->socket, kSilence);
  const ConnectionId connection = server_.open(text_of(caller->address), monotonic_now());
  links_[connection].socket = std::move(caller->socket);
}

void ServerSockets::read_some(ConnectionId connection, ClientLink& link) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(link.socket.get(), bytes.data(), bytes.size(), 0);
  if (got > 0)
    return server_.take(connection, {bytes.data(), static_cast<std::size_t>(got)}, monotonic_now());
  if (got == 0) return server_.lose(connection, "it closed its connection");
  if (errno != EINTR && errno != EAGAIN)
    server_.lose(connection,
                 fmt::format("its connection has ended: recv: {}", std::strerror(errno)));
}

void ServerSockets::write_some(ConnectionId connection, ClientLink& link) {
  while (!link.outgoing.empty()) {
    const std::string& first = *link.outgoing.front();
    const ssize_t sent =
        ::send(link.socket.get(), first.data() + link.sent, first.size() - link.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0)
      return server_.lose(connection,
                          fmt::format("its connection has ended: send: {}", std::strerror(errno)));
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
      ClientLink& link = found->second;
      link.outgoing.push_back(std::move(bytes));
      if (link.outgoing.size() == 1) write_some(connection, link);
    }
    decisions = server_.take_decisions();
  }
  for (const auto& [is_problem, sentence] : server_.take_notes()) {
    // the reader may have ended
    if (is_problem || is_verbose_)
      std::fputs(fmt::format("impi-server: {}\n", sentence).c_str(), stderr);
  }
}

}  // namespace lintel::impi_server
