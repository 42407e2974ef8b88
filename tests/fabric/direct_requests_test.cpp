// Which requests for a connection a direct transport accepts, and how long one may take.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <functional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/raw_caller.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/stream_format.h"

namespace lintel::transport {
namespace {

using testing::HasSubstr;

class DirectRequests : public TwoNodes, public testing::Test {
 protected:
  void SetUp() override { open_both(options_for(DirectTransport::kName)); }
};

TEST_F(DirectRequests, AConnectionWithoutASessionGivesWay) {
  RawCaller squatter(b);
  complete_handshake(squatter, b);
  RawCaller peer(b);
  Greeting greeting = peer.greeting();
  greeting.incarnation = 8;
  peer.send(greeting);
  EXPECT_EQ(peer.answer(b), GreetingKind::kAccept);
  EXPECT_TRUE(squatter.is_disconnected(b));
  EXPECT_TRUE(b.seen.contested.empty());
}

TEST_F(DirectRequests, AnOlderConnectRequestDoesNotReplaceTheConnection) {
  RawCaller opened(b);
  Greeting greeting = opened.greeting();
  greeting.generation = 5;
  opened.send(greeting);
  ASSERT_EQ(opened.answer(b), GreetingKind::kAccept);
  RawCaller late(b);
  greeting.generation = 4;
  late.send(greeting);
  EXPECT_EQ(late.answer(b), GreetingKind::kSimultaneous);
  EXPECT_TRUE(late.is_disconnected(b));
  opened.send_message(pattern(8, 1));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
  EXPECT_TRUE(b.seen.failures.empty());
}

// The peer may have accepted a request of ours instead.
TEST_F(DirectRequests, ARequestThatItsSenderHasEndedIsNotAccepted) {
  RawCaller gone(b);
  gone.send(gone.greeting());
  gone.close();
  RawCaller other(b, "127.0.0.2");
  other.send(other.greeting());
  ASSERT_EQ(other.answer(b), GreetingKind::kAccept);
  until({&b}, [&, turns = 0]() mutable { return ++turns > 50; });
  EXPECT_TRUE(b.seen.failures.empty());
}

TEST_F(DirectRequests, ARequestIsAnsweredInThePollThatAcceptsIt) {
  RawCaller caller(b);
  caller.send(caller.greeting());
  b.poll();
  EXPECT_EQ(caller.answer(a), GreetingKind::kAccept) << "B is not polled again";
}

TEST_F(DirectRequests, ARequestIsAnsweredInThatPollAlsoWhereOthersHoldAllPlaces) {
  const std::vector<RawCaller> silent = silent_crowd(b);
  RawCaller caller(b);
  caller.send(caller.greeting());
  b.poll();
  EXPECT_EQ(caller.answer(a), GreetingKind::kAccept) << "B is not polled again";
}

struct BadGreeting {
  const char* name;
  std::function<void(Greeting&)> spoil;
};

class DirectGreetings : public DirectRequests, public testing::WithParamInterface<BadGreeting> {};
INSTANTIATE_TEST_SUITE_P(
    , DirectGreetings,
    testing::Values(BadGreeting{"OfAnotherProtocol", [](Greeting& g) { g.magic = 0x47455420; }},
                    BadGreeting{"OfAnotherVersion", [](Greeting& g) { g.version = 1; }},
                    BadGreeting{"ThatAnswerNothing", [](Greeting& g) { g.kind = 2; }},
                    BadGreeting{"OfNoKind", [](Greeting& g) { g.kind = 9; }},
                    BadGreeting{"ForSomebodyElse", [](Greeting& g) { g.to_pid += 1; }},
                    BadGreeting{"FromAnotherAddress", [](Greeting& g) { g.from_nid = 0x7f000002; }},
                    BadGreeting{"FromNoPid", [](Greeting& g) { g.from_pid = 70000; }},
                    BadGreeting{"FromOneself", [](Greeting& g) { g.from_pid = g.to_pid; }}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(DirectGreetings, AnInvalidGreetingEndsItsConnectionOnly) {
  connect();
  RawCaller raw_caller(b);
  ASSERT_TRUE(raw_caller.connected());
  Greeting greeting = raw_caller.greeting();
  GetParam().spoil(greeting);
  raw_caller.send(greeting);
  EXPECT_TRUE(raw_caller.is_disconnected(b));
  ASSERT_TRUE(send(a, b_at_a, pattern(8, 7), {&a, &b}));
  ASSERT_TRUE(until_both([&] { return b.seen.message_count == 1; }));
  EXPECT_TRUE(b.seen.failures.empty());
}

TEST_F(DirectRequests, AnotherVersionOfTheStreamIsRefusedWithASentence) {
  RawCaller raw_caller(b);
  ASSERT_TRUE(raw_caller.connected());
  Greeting greeting = raw_caller.greeting();
  greeting.version = 1;
  testing::internal::CaptureStderr();
  raw_caller.send(greeting);
  EXPECT_TRUE(raw_caller.is_disconnected(b));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("127.0.0.1 pid 2000: it speaks version 1 of the stream of direct; "
                        "expected: version 2"));
}

TEST_F(DirectRequests, ASilentCallerIsDisconnectedAfterTheConnectTimeout) {
  NetworkOptions options = options_for(DirectTransport::kName);
  options.connect_timeout = std::chrono::milliseconds(100);
  open_both(options);
  RawCaller silent(b);
  ASSERT_TRUE(silent.connected());
  const TimePoint start = monotonic_now();
  EXPECT_TRUE(silent.is_disconnected(b));
  EXPECT_GE(monotonic_now() - start, std::chrono::milliseconds(100));
}

TEST_F(DirectRequests, ACallerThatSendsHalfAGreetingIsDisconnectedToo) {
  NetworkOptions options = options_for(DirectTransport::kName);
  options.connect_timeout = std::chrono::milliseconds(100);
  open_both(options);
  RawCaller slow(b);
  const std::byte part[20]{};
  slow.send_bytes(part);
  EXPECT_TRUE(slow.is_disconnected(b));
}

TEST_F(DirectRequests, BeyondTheLimitANewCallerReplacesTheOldestSilentOne) {
  connect();
  std::vector<RawCaller> silent = silent_crowd(b);
  EXPECT_TRUE(silent.front().is_disconnected(b));
  RawCaller late(b);
  complete_handshake(late, b);
  late.send_message(pattern(8, 1));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
}

TEST_F(DirectRequests, ManySilentCallersAtOnceAreNotAllKept) {
  std::vector<RawCaller> silent;
  for (int i = 0; i < 400; ++i) silent.emplace_back(b);
  until({&b}, [&, turns = 0]() mutable { return ++turns > 50; });
  EXPECT_GE(direct_counters(b).refused_connections, 400U - 256U);
  std::string state;
  b.transport->dump(state);
  EXPECT_THAT(state, HasSubstr("connections being made: 256\n"));
}

// A process whose system accepts a connection and that answers nothing; or, with a full backlog,
// one that no connect request reaches.
class DirectDeafPeer : public DirectRequests {
 protected:
  void SetUp() override {
    NetworkOptions options = options_for(DirectTransport::kName);
    // A lower name than the peer's: it would decline a simultaneous connect.
    options.pid = Pid(1011);
    a = open_node(options);
    deaf_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    ASSERT_EQ(::bind(deaf_.get(), reinterpret_cast<sockaddr*>(&address_), length), 0);
    ASSERT_EQ(::listen(deaf_.get(), 0), 0);
    ASSERT_EQ(::getsockname(deaf_.get(), reinterpret_cast<sockaddr*>(&address_), &length), 0);
    peer_ = a.transport->resolve(name_of(address_, kDefaultPortBase)).value();
    buffer_ = a.transport->reserve(peer_, 8);
  }
  void fill_backlog() {
    for (int i = 0; i < 4; ++i) {
      filling_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      (void)::connect(filling_.back().get(), reinterpret_cast<const sockaddr*>(&address_),
                      sizeof address_);
    }
  }
  bool tries_to_send() { return a.transport->commit(peer_, buffer_, 8) == PostStatus::kWouldBlock; }
  void request() {
    until({&a}, [&, turns = 0]() mutable {
      EXPECT_TRUE(tries_to_send());
      return ++turns > 20;
    });
    ASSERT_THAT(a.transport->describe(peer_), HasSubstr("is being made"));
  }
  FileDescriptor accept_request() {
    return FileDescriptor(::accept4(deaf_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

  PeerId peer_;
  MessageBuffer buffer_;

 private:
  FileDescriptor deaf_;
  sockaddr_in address_{};
  std::vector<FileDescriptor> filling_;
};

TEST_F(DirectDeafPeer, IsAcceptedWhileNoRequestReachesIt) {
  fill_backlog();
  request();
  RawCaller caller(a);
  caller.claim(a.transport->name_of(peer_));
  caller.send(caller.greeting());
  EXPECT_EQ(caller.answer(a), GreetingKind::kAccept);
  EXPECT_EQ(a.transport->commit(peer_, buffer_, 8), PostStatus::kOk);
}

// As when what it had answered was lost together with its connection.
TEST_F(DirectDeafPeer, IsAskedAgainOnAnotherConnection) {
  std::vector<FileDescriptor> requests;
  EXPECT_TRUE(until({&a}, [&] {
    EXPECT_TRUE(tries_to_send());
    if (FileDescriptor request = accept_request(); request.is_open())
      requests.push_back(std::move(request));
    return requests.size() == 2;
  }));
}

}  // namespace
}  // namespace lintel::transport
