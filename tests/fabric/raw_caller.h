#pragma once
// A socket that speaks the stream format of direct transports, correctly or not.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <span>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/fabric/fabric_pair.h"
#include "transport/address/address.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/stream_format.h"

namespace lintel::transport {

inline DirectCounters direct_counters(const Node& node) {
  return dynamic_cast<const DirectTransport&>(*node.transport).counters();
}

// A blocking socket that speaks the stream format to a transport, correctly or not.
class RawCaller {
 public:
  explicit RawCaller(const Node& called, const char* from = "127.0.0.1")
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &own.sin_addr);
    const sockaddr_in to = socket_address_of(called.transport->self(), kDefaultPortBase).value();
    connected_ = ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) == 0 &&
                 ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    self_ = {NodeId(ntohl(own.sin_addr.s_addr)), Pid(2000)};
    called_ = called.transport->self();
  }
  // Its greetings name another sender than itself.
  void claim(ProcessId name) { self_ = name; }
  bool connected() const { return connected_; }
  ProcessId self() const { return self_; }
  Greeting greeting(GreetingKind kind = GreetingKind::kConnect) const {
    return {kGreetingMagic,
            kStreamVersion,
            static_cast<std::uint8_t>(kind),
            0,
            self_.nid.value,
            self_.pid.value,
            called_.nid.value,
            called_.pid.value,
            /*incarnation=*/7,
            /*generation=*/1};
  }
  template <class Wire>
  void send(const Wire& value) {
    std::byte wire[sizeof value];
    encode(wire, value);
    send_bytes(wire);
  }
  void send_bytes(std::span<const std::byte> bytes) {
    ASSERT_EQ(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  }
  void send_message(std::span<const std::byte> message, std::uint16_t flags = 0) {
    send(PieceHeader{static_cast<std::uint32_t>(message.size()),
                     static_cast<std::uint8_t>(PieceKind::kMessage), 0, flags});
    send_bytes(message);
  }
  // Bytes that have arrived and were not read.
  std::size_t unread() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(fd_.get(), FIONREAD, &bytes), 0);
    return static_cast<std::size_t>(bytes);
  }
  // The header of the next message or acknowledgement; what follows it is dropped.
  PieceHeader receive_piece(Node& sender) {
    std::vector<std::byte> wire(sizeof(PieceHeader));
    read(wire, sender);
    const auto header = decode<PieceHeader>(wire.data());
    if (header.kind == static_cast<std::uint8_t>(PieceKind::kMessage)) {
      wire.resize(header.length);
      read(wire, sender);
    }
    return header;
  }
  // Returns the kind of the answer to the greeting, or nullopt if the connection has ended.
  std::optional<GreetingKind> answer(Node& called) {
    std::byte wire[sizeof(Greeting)];
    std::size_t got = 0;
    bool ended = false;
    until({&called}, [&] {
      const ssize_t more = ::recv(fd_.get(), wire + got, sizeof wire - got, MSG_DONTWAIT);
      ended = more == 0 || (more < 0 && errno != EAGAIN);
      if (more > 0) got += static_cast<std::size_t>(more);
      return ended || got == sizeof wire;
    });
    if (got != sizeof wire) return std::nullopt;
    answered_ = decode<Greeting>(wire);
    if (has_resumption(answered_.kind)) {
      std::byte resumption[sizeof(Resumption)];
      if (::recv(fd_.get(), resumption, sizeof resumption, MSG_WAITALL) != sizeof resumption)
        return std::nullopt;
    }
    return static_cast<GreetingKind>(answered_.kind);
  }
  // The last greeting that answer() has read.
  const Greeting& answered() const { return answered_; }
  // The connection has ended, whether or not it was read to its end.
  bool has_ended() {
    pollfd end{fd_.get(), POLLRDHUP, 0};
    return ::poll(&end, 1, static_cast<int>(kTimeout / std::chrono::milliseconds(1))) == 1;
  }
  bool is_disconnected(Node& called) {
    std::byte byte{};
    return until({&called}, [&] {
      const ssize_t got = ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT);
      return got == 0 || (got < 0 && errno != EAGAIN);
    });
  }
  void close() { fd_.close(); }
  void reset() {
    const linger at_once{1, 0};
    (void)::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    fd_.close();
  }

 private:
  void read(std::span<std::byte> into, Node& sender) {
    EXPECT_TRUE(until({&sender}, [&] {
      const ssize_t got = ::recv(fd_.get(), into.data(), into.size(), MSG_DONTWAIT);
      if (got > 0) into = into.subspan(static_cast<std::size_t>(got));
      return into.empty();
    }));
  }

  FileDescriptor fd_;
  bool connected_ = false;
  ProcessId self_;
  ProcessId called_;
  Greeting answered_{};
};

// Callers that send nothing, more than a transport keeps.
inline std::vector<RawCaller> silent_crowd(Node& called) {
  std::vector<RawCaller> callers;
  for (int i = 0; i < 300; ++i) {
    callers.emplace_back(called);
    EXPECT_TRUE(callers.back().connected()) << i;
    called.poll();
  }
  return callers;
}

// Completes the handshake. What `caller` sends from now on is read as pieces.
inline void complete_handshake(RawCaller& caller, Node& called) {
  ASSERT_TRUE(caller.connected());
  caller.send(caller.greeting());
  ASSERT_EQ(caller.answer(called), GreetingKind::kAccept);
}

}  // namespace lintel::transport
