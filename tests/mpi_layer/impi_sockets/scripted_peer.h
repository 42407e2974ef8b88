#pragma once
// ScriptedPeer: the other side of a connection, which sends and receives raw bytes over real TCP.
// Each receive has a timeout.

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "mpi_layer/impi/sockets/tcp_socket.h"

namespace lintel::testing {

inline constexpr Nanoseconds kTimeout = std::chrono::seconds(20);
inline constexpr std::uint32_t kLoopback = 0x7f000001;

inline TimePoint soon() { return monotonic_now() + kTimeout; }

template <class T>
T value_of(mpi::Outcome<T> outcome) {
  if (!outcome) throw std::runtime_error(outcome.sentence());
  return std::move(*outcome);
}

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ScriptedPeer {
 public:
  explicit ScriptedPeer(mpi::impi::Socket socket, mpi::impi::TcpAddress address = {})
      : socket_(std::move(socket)), address_(address) {}

  // Its own address, if it made the connection.
  const mpi::impi::TcpAddress& address() const { return address_; }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno != EAGAIN || !mpi::impi::wait_for(socket_, POLLOUT, soon())) {
        return;  // the other side may have closed; the test checks that
      }
    }
  }
  void send(std::span<const std::byte> bytes) { send(text_of(bytes)); }
  // Sends each byte in a segment of its own.
  void send_one_by_one(std::string_view bytes) {
    for (const char byte : bytes) send(std::string_view(&byte, 1));
  }

  // Receives that many bytes; fewer if no more came in time.
  std::string receive(std::size_t size) {
    std::string received(size, '\0');
    std::size_t filled = 0;
    while (filled < size && mpi::impi::wait_for(socket_, POLLIN, soon())) {
      const ssize_t got = ::recv(socket_.get(), received.data() + filled, size - filled, 0);
      if (got == 0 || (got < 0 && errno != EAGAIN)) break;
      if (got > 0) filled += static_cast<std::size_t>(got);
    }
    received.resize(filled);
    return received;
  }
  // Receives what has come so far.
  std::string receive_now() {
    std::string received;
    std::array<char, 65536> bytes;
    for (ssize_t got = 0; (got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0)) > 0;)
      received.append(bytes.data(), static_cast<std::size_t>(got));
    return received;
  }
  // Waits for the end of the connection. No byte may come before it.
  bool is_closed() {
    char byte = 0;
    if (!mpi::impi::wait_for(socket_, POLLIN, soon())) return false;
    const ssize_t got = ::recv(socket_.get(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }

  void close() { socket_.close(); }
  // Resets the connection, as if the program had crashed.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_.close();
  }

 private:
  mpi::impi::Socket socket_;
  mpi::impi::TcpAddress address_;
};

// Listens for connections to scripted peers.
class ScriptedListener {
 public:
  explicit ScriptedListener(std::uint32_t ipv4 = kLoopback)
      : socket_(value_of(mpi::impi::listen_on({ipv4, 0}))) {}

  mpi::impi::TcpAddress address() const { return mpi::impi::own_address(socket_); }

  // Connections made from now on have small receive buffers.
  void give_little_room() {
    constexpr int kBytes = 65536;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &kBytes, sizeof kBytes);
  }

  ScriptedPeer accept() {
    if (!mpi::impi::wait_for(socket_, POLLIN, soon()))
      throw std::runtime_error("nobody has called " + mpi::impi::text_of(address()));
    auto caller = value_of(mpi::impi::accept_on(socket_));
    return ScriptedPeer(std::move(caller.value().socket), caller->address);
  }

 private:
  mpi::impi::Socket socket_;
};

inline ScriptedPeer call(const mpi::impi::TcpAddress& address) {
  return ScriptedPeer(value_of(mpi::impi::connect_to(address, std::nullopt, soon())));
}

}  // namespace lintel::testing
