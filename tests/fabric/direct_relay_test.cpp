// Sessions over direct transports, and a process at the address of both that connects to each in
// the name of the other.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "base/file_descriptor.h"
#include "tests/fabric/fabric_pair.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/stream_format.h"
#include "transport/session/session.h"

namespace lintel::transport {
namespace {

class DirectRelay : public testing::Test {
 protected:
  struct Side {
    Session* session = nullptr;
    Node node;
    PeerId peer;
    FileDescriptor stranger;  // connected to this side
  };

  void SetUp() override {
    for (Side& side : sides_) {
      const std::string_view secret = "the secret of a job";
      SessionOptions options;
      options.incarnation = 11 + static_cast<std::uint64_t>(&side - sides_.data());
      options.job_key = std::make_shared<JobKey>();
      options.job_key->give(std::as_bytes(std::span(secret.data(), secret.size())));
      auto session = std::make_unique<Session>(
          open_node(options_for(DirectTransport::kName)).transport, options);
      side.session = session.get();
      side.node.transport = std::move(session);
    }
    for (const std::size_t i : {0U, 1U})
      sides_[i].peer = *sides_[i].session->resolve(sides_[1 - i].session->self());
  }
  bool until_both(const std::function<bool()>& done) {
    return until({&sides_[0].node, &sides_[1].node}, done);
  }
  PostStatus send(std::size_t from) {
    Session& session = *sides_[from].session;
    const MessageBuffer buffer = session.reserve(sides_[from].peer, 1);
    return buffer ? session.commit(sides_[from].peer, buffer, 1) : PostStatus::kWouldBlock;
  }
  PeerState state(std::size_t i) const { return sides_[i].session->state_of(sides_[i].peer); }

  // The stranger connects to side `i` as its peer.
  void call_as_peer(std::size_t i) {
    const ProcessId called = sides_[i].session->self();
    const ProcessId name = sides_[1 - i].session->self();
    const sockaddr_in to = socket_address_of(called, kDefaultPortBase).value();
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    const Greeting greeting{kGreetingMagic,
                            kStreamVersion,
                            static_cast<std::uint8_t>(GreetingKind::kConnect),
                            0,
                            name.nid.value,
                            name.pid.value,
                            called.nid.value,
                            called.pid.value,
                            /*incarnation=*/7,
                            /*generation=*/1};
    std::array<std::byte, sizeof greeting> wire;
    encode(wire.data(), greeting);
    ASSERT_EQ(::send(fd.get(), wire.data(), wire.size(), MSG_NOSIGNAL), ssize_t(wire.size()));
    std::size_t got = 0;
    ASSERT_TRUE(until_both([&] {
      const ssize_t more = ::recv(fd.get(), wire.data() + got, wire.size() - got, MSG_DONTWAIT);
      if (more > 0) got += static_cast<std::size_t>(more);
      return got == wire.size();
    }));
    ASSERT_EQ(decode<Greeting>(wire.data()).kind, static_cast<std::uint8_t>(GreetingKind::kAccept));
    sides_[i].stranger = std::move(fd);
  }
  // Passes on what has come.
  void relay() {
    for (const std::size_t from : {0U, 1U}) {
      std::array<std::byte, 4096> bytes;
      const ssize_t got =
          ::recv(sides_[from].stranger.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got > 0)
        (void)::send(sides_[1 - from].stranger.get(), bytes.data(), static_cast<std::size_t>(got),
                     MSG_NOSIGNAL);
    }
  }

  std::array<Side, 2> sides_;
};

TEST_F(DirectRelay, BothEndsOfAConnectionHaveTheSameBinding) {
  Node a = open_node(options_for(DirectTransport::kName));
  Node b = open_node(options_for(DirectTransport::kName));
  const PeerId b_at_a = *a.transport->resolve(b.transport->self());
  const PeerId a_at_b = *b.transport->resolve(a.transport->self());
  EXPECT_EQ(a.transport->binding(b_at_a).bytes, ConnectionBinding{}.bytes) << "no connection yet";
  bool sent = false;
  ASSERT_TRUE(until({&a, &b}, [&] {
    if (!sent) {
      const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
      sent = a.transport->commit(b_at_a, buffer, 8) == PostStatus::kOk;
      if (!sent) a.transport->abandon(b_at_a, buffer);
    }
    return b.seen.message_count == 1;
  }));
  const ConnectionBinding at_a = a.transport->binding(b_at_a);
  const ConnectionBinding at_b = b.transport->binding(a_at_b);
  EXPECT_EQ(at_a.bytes, at_b.bytes);
  EXPECT_FALSE(at_a.made_by_peer);
  EXPECT_TRUE(at_b.made_by_peer);
  const sockaddr_in acceptor = socket_address_of(b.transport->self(), kDefaultPortBase).value();
  EXPECT_EQ(std::memcmp(at_a.bytes.data(), &acceptor.sin_addr, 4), 0) << "all on one address";
  EXPECT_EQ(std::memcmp(at_a.bytes.data() + 6, &acceptor.sin_addr, 4), 0);
  EXPECT_EQ(std::memcmp(at_a.bytes.data() + 10, &acceptor.sin_port, 2), 0);
}

TEST_F(DirectRelay, ProcessesWithASecretDoNotMeetThroughAStranger) {
  ASSERT_NO_FATAL_FAILURE(call_as_peer(0));
  ASSERT_NO_FATAL_FAILURE(call_as_peer(1));
  ASSERT_TRUE(until_both([&] {
    EXPECT_NE(send(0), PostStatus::kOk);
    relay();
    return sides_[0].session->counters().unproved == 1;
  })) << "the welcome of the other side has come, and is not bound to this connection";
  EXPECT_NE(state(0), PeerState::kOpen);
  EXPECT_NE(state(1), PeerState::kOpen);
  for (Side& side : sides_) side.stranger.close();
  ASSERT_TRUE(until_both([&] { return send(0) == PostStatus::kOk; })) << "it has gone";
  ASSERT_TRUE(until_both([&] { return sides_[1].node.seen.message_count == 1; }));
}

}  // namespace
}  // namespace lintel::transport
