// How connections are made, over loopback sockets, without the streams on them. Time is an
// argument.
#include "transport/direct/handshakes.h"

#include <gtest/gtest.h>

#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Phase = DirectConnection::Phase;

constexpr InboundStream::PieceLimits kPieces{1000, 100000, 50000};
constexpr TimePoint kFixedTime{1000000000};

// A process that only makes connections.
class Process final : private Handshakes::Owner {
 public:
  explicit Process(const NetworkOptions& own) : options(own) {
    EXPECT_TRUE(events.open().ok());
    EXPECT_TRUE(handshakes.listen().ok());
  }
  PeerId peer(ProcessId name) { return peer_named(name).value(); }
  void poll(TimePoint now) {
    handshakes.begin_poll(now);
    epoll_event ready[16];
    const int count = events.ready(ready);
    for (int i = 0; i < count; ++i) {
      auto* const connection = static_cast<DirectConnection*>(ready[i].data.ptr);
      if (connection == nullptr) {
        handshakes.accept_connections();
      } else if (!connection->has_streams() && connection->phase != Phase::kClosed) {
        handshakes.on_ready(*connection, ready[i].events);
      }
    }
    handshakes.expire();
    records.recycle();
  }

  NetworkOptions options;
  bool has_memory = true;
  bool callers_leave = false;  // each ends its connection while its request is looked at
  std::size_t left_while_looked_at = 0;
  std::vector<PeerId> opened_peers;
  std::vector<PeerId> contested_peers;
  std::vector<std::pair<PeerId, Error>> lost;

  DirectCounters counters;
  SocketEvents events;
  StreamBuffers buffers{4096};
  DirectPeers peers;
  ConnectionRecords records;
  Handshakes handshakes{options, *this, peers, records, events, buffers, counters};

 private:
  bool has_spare_connection() override {
    return has_memory && records.has_spare(kPieces, [](std::size_t) {});
  }
  Result<PeerId> peer_named(ProcessId name) override {
    if (callers_leave) {
      ::shutdown(watched_->fd.get(), SHUT_RDWR);
      ++left_while_looked_at;
    }
    const PeerId known = peers.find(name);
    return known != kNoPeer ? known : peers.add(name, [](std::size_t) {});
  }
  void watch_for(DirectConnection& connection, std::uint32_t wanted) override {
    ASSERT_TRUE(events.watch(connection.fd.get(), connection.watched, wanted, &connection));
    watched_ = &connection;
  }
  void tear_down(DirectConnection& connection) override {
    handshakes.forget(connection);
    if (connection.peer != kNoPeer && peers[connection.peer].connection == &connection)
      peers[connection.peer].connection = nullptr;
    events.stop_watching(connection.fd.get(), connection.watched);
    end_socket(std::move(connection.fd));
    connection.phase = Phase::kClosed;
    records.retire(connection);
  }
  void fail(PeerId id, Error error) override {
    handshakes.end_attempts(peers[id]);
    if (peers[id].connecting != nullptr) tear_down(*peers[id].connecting);
    if (peers[id].connection != nullptr) tear_down(*peers[id].connection);
    lost.emplace_back(id, error);
  }
  void opened(DirectConnection& connection) override { opened_peers.push_back(connection.peer); }
  void receive_last(DirectConnection&) override {}
  void contested(PeerId id) override { contested_peers.push_back(id); }
  void suspend(DirectConnection&, Error) override { ADD_FAILURE(); }
  bool acknowledged(DirectConnection&, std::uint64_t) override { return true; }
  void resumed(DirectConnection&) override { ADD_FAILURE(); }

  DirectConnection* watched_ = nullptr;  // the last one
};

NetworkOptions short_options() {
  NetworkOptions options;
  options.connect_timeout = seconds(3);
  return options;
}

class HandshakesTest : public ::testing::Test {
 protected:
  // Polls both; real time passes, because sockets need it, and the time that they see does not.
  template <class Done>
  bool until(Done done) {
    const TimePoint end = monotonic_now() + seconds(20);
    while (!done()) {
      if (monotonic_now() > end) return false;
      a.poll(kFixedTime);
      b.poll(kFixedTime);
    }
    return true;
  }
  void connect() {
    a.handshakes.connect(a.peer(b.handshakes.self()));
    ASSERT_TRUE(until([&] { return !a.opened_peers.empty() && !b.opened_peers.empty(); }));
  }
  // Another process at the address of A sends a connect request to B under A's name.
  void claim_to_be_a() {
    sockaddr_in from = socket_address_of(a.handshakes.self(), a.options.port_base).value();
    from.sin_port = 0;
    const sockaddr_in to = socket_address_of(b.handshakes.self(), b.options.port_base).value();
    claims.push_back(connect_from(from, to).value());
    ASSERT_TRUE(until([&] { return outcome_of_connect(claims.back().get()) == 0; }));
    Greeter greeter;
    greeter.set_self(a.handshakes.self());
    ASSERT_TRUE(greeter.send(claims.back().get(), b.handshakes.self(), GreetingKind::kConnect));
  }

  Process a{short_options()}, b{short_options()};
  std::vector<PrivateDescriptor> claims;
};

TEST_F(HandshakesTest, ARequestThatIsAcceptedOpensTheConnectionOnBothSides) {
  connect();
  const PeerId b_at_a = a.peer(b.handshakes.self());
  const PeerId a_at_b = b.peer(a.handshakes.self());
  EXPECT_EQ(a.opened_peers, std::vector{b_at_a});
  EXPECT_EQ(b.opened_peers, std::vector{a_at_b});
  EXPECT_EQ(a.peers[b_at_a].connection->phase, Phase::kOpen);
  EXPECT_FALSE(a.peers[b_at_a].connection->is_of_unproved_caller());
  EXPECT_TRUE(b.peers[a_at_b].connection->is_of_unproved_caller());
  EXPECT_EQ(a.peers[b_at_a].connection->binding.bytes, b.peers[a_at_b].connection->binding.bytes);
  EXPECT_EQ(a.handshakes.under_way() + b.handshakes.under_way(), 0U);
}

TEST_F(HandshakesTest, OnlyTheSideThatRequestsIsCalling) {
  a.handshakes.connect(a.peer(b.handshakes.self()));
  EXPECT_TRUE(a.handshakes.is_calling());
  ASSERT_TRUE(until([&] {
    EXPECT_FALSE(b.handshakes.is_calling());
    return b.handshakes.under_way() > 0 || !b.opened_peers.empty();
  }));
  ASSERT_TRUE(until([&] { return !a.opened_peers.empty(); }));
  EXPECT_FALSE(a.handshakes.is_calling());
}

TEST_F(HandshakesTest, BothMayRequestAtOnceAndKeepOneConnection) {
  a.handshakes.connect(a.peer(b.handshakes.self()));
  b.handshakes.connect(b.peer(a.handshakes.self()));
  ASSERT_TRUE(until([&] {
    return !a.opened_peers.empty() && !b.opened_peers.empty() &&
           a.handshakes.under_way() + b.handshakes.under_way() == 0;
  }));
  const PeerId b_at_a = a.peer(b.handshakes.self());
  const PeerId a_at_b = b.peer(a.handshakes.self());
  EXPECT_EQ(a.peers[b_at_a].connection->binding.bytes, b.peers[a_at_b].connection->binding.bytes);
}

TEST_F(HandshakesTest, ARequestUnderTheNameOfAnAdmittedPeerIsToldAndRefused) {
  connect();
  const PeerId a_at_b = b.peer(a.handshakes.self());
  DirectConnection& connection = *b.peers[a_at_b].connection;
  b.handshakes.admitted(connection);
  connection.is_admitted = true;
  claim_to_be_a();
  ASSERT_TRUE(until([&] { return !b.contested_peers.empty(); }));
  EXPECT_EQ(b.contested_peers, std::vector{a_at_b});
  EXPECT_EQ(b.peers[a_at_b].connection, &connection);
  EXPECT_TRUE(b.lost.empty());
}

TEST_F(HandshakesTest, ACallerThatHasProvedNothingKeepsNoOtherOfTheNameAway) {
  claim_to_be_a();
  ASSERT_TRUE(until([&] { return b.opened_peers.size() == 1; }));
  claim_to_be_a();
  ASSERT_TRUE(until([&] { return b.opened_peers.size() == 2; }));
  EXPECT_EQ(b.lost.size(), 1U);
}

TEST_F(HandshakesTest, ACallerThatProvesNothingIsLostAfterTheTimeout) {
  claim_to_be_a();
  ASSERT_TRUE(until([&] { return b.opened_peers.size() == 1; }));
  EXPECT_EQ(b.handshakes.next_deadline(), kFixedTime + b.options.connect_timeout);
  b.poll(kFixedTime + b.options.connect_timeout);
  ASSERT_EQ(b.lost.size(), 1U);
  EXPECT_STREQ(b.lost[0].second.reason(), "the peer has connected and begun no session");
}

TEST_F(HandshakesTest, APeerThatDoesNotAcceptIsLostAfterTheTimeout) {
  const PeerId nobody = a.peer({a.handshakes.self().nid, Pid(1)});
  a.handshakes.begin_poll(kFixedTime);
  for (int turn = 0; a.lost.empty() && turn < 1000; ++turn) {
    a.handshakes.connect(nobody);
    a.poll(kFixedTime + milliseconds(10) * turn);
  }
  ASSERT_EQ(a.lost.size(), 1U);
  EXPECT_EQ(a.lost[0].first, nobody);
  EXPECT_EQ(a.handshakes.under_way(), 0U);
}

TEST_F(HandshakesTest, WithoutMemoryACallerWaitsInTheQueue) {
  b.has_memory = false;
  a.handshakes.connect(a.peer(b.handshakes.self()));
  ASSERT_TRUE(until([&] { return b.handshakes.next_deadline() == kFixedTime + Listener::kPause; }));
  b.has_memory = true;
  b.poll(kFixedTime + Listener::kPause);
  ASSERT_TRUE(until([&] { return !a.opened_peers.empty(); }));
}

TEST_F(HandshakesTest, ANewCallerThatCannotBeAnsweredIsForgotten) {
  b.callers_leave = true;
  a.handshakes.connect(a.peer(b.handshakes.self()));
  ASSERT_TRUE(until([&] { return b.left_while_looked_at > 0; }));
  EXPECT_EQ(b.counters.refused_connections, 0U);
  EXPECT_EQ(b.peers.named(), 0U);
}

TEST_F(HandshakesTest, AfterTheCloseNoRequestIsMadeOrAccepted) {
  b.handshakes.close();
  b.handshakes.connect(b.peer(a.handshakes.self()));
  EXPECT_EQ(b.handshakes.under_way(), 0U);
  a.handshakes.connect(a.peer(b.handshakes.self()));
  ASSERT_TRUE(until([&] { return b.counters.refused_connections > 0; }));
  EXPECT_TRUE(b.opened_peers.empty());
}

}  // namespace
}  // namespace lintel::transport
