// How connections between direct transports begin and end, and what happens to data in flight.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/file_descriptor.h"
#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/raw_caller.h"
#include "tests/fabric/waiting.h"
#include "transport/contact/send_share.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/stream_format.h"
#include "transport/direct/unexpected_memory.h"

namespace lintel::transport {
namespace {

using testing::HasSubstr;

constexpr const char* kDirect = DirectTransport::kName;

class DirectConnections : public TwoNodes, public testing::Test {
 protected:
  void SetUp() override { open_both(options_for(kDirect)); }
  // B had a connection under that name. Its loss is reported before the first message of the
  // caller, which is accepted.
  void expect_accepted_after_the_loss(RawCaller& caller, const Greeting& greeting) {
    caller.send(greeting);
    caller.send_message(pattern(8, 2));
    std::size_t failures_before = 0;
    b.seen.when_message = [&] { failures_before = b.seen.failures.size(); };
    ASSERT_EQ(caller.answer(b), GreetingKind::kAccept);
    ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
    b.seen.when_message = nullptr;
    EXPECT_EQ(failures_before, 1U);
    EXPECT_EQ(b.seen.messages[0], pattern(8, 2));
  }
  // One more caller, each under its own name, begins a placed message of so many bytes and sends
  // none of them.
  void begin_payload(std::vector<RawCaller>& callers, std::uint32_t bytes = 1000) {
    RawCaller& caller = callers.emplace_back(b);
    Greeting greeting = caller.greeting();
    greeting.from_pid += static_cast<std::uint32_t>(callers.size()) - 1;
    caller.send(greeting);
    ASSERT_EQ(caller.answer(b), GreetingKind::kAccept);
    b.transport->admit(b.transport->resolve({caller.self().nid, Pid(greeting.from_pid)}).value(),
                       {});
    caller.send(PieceHeader{bytes, static_cast<std::uint8_t>(PieceKind::kPlaced), 0, 0});
    caller.send(PlacedHeader{1});
    const std::string expected = "payloads that arrive unexpected: " +
                                 std::to_string(std::min<std::size_t>(callers.size(), 16)) + "\n";
    ASSERT_TRUE(until({&b}, [&] {
      std::string state;
      b.transport->dump(state);
      return state.find(expected) != std::string::npos;
    })) << callers.size();
  }
  // What those do that hold the memory for unexpected payloads.
  enum class Holders { kSendNothing, kSendAByteNowAndThen, kOneHasNearlyEnded };
  void make_room_for_one(Holders holders, bool behind_an_end);
};

TEST_F(DirectConnections, SimultaneousConnectsBecomeOneConnectionAndLoseNothing) {
  std::uint64_t simultaneous = 0;
  for (std::uint32_t round = 0; round < 50; ++round) {
    open_both(options_for(kDirect));
    const MessageBuffer from_a = a.transport->reserve(b_at_a, 8);
    const MessageBuffer from_b = b.transport->reserve(a_at_b, 8);
    ASSERT_TRUE(from_a && from_b);
    // Both send a connect request before either receives the other's.
    EXPECT_EQ(a.transport->commit(b_at_a, from_a, 8), PostStatus::kWouldBlock);
    EXPECT_EQ(b.transport->commit(a_at_b, from_b, 8), PostStatus::kWouldBlock);
    if (round % 2 == 0) a.poll();
    bool a_sent = false;
    bool b_sent = false;
    ASSERT_TRUE(until_both([&] {
      a_sent = a_sent || a.transport->commit(b_at_a, from_a, 8) == PostStatus::kOk;
      b_sent = b_sent || b.transport->commit(a_at_b, from_b, 8) == PostStatus::kOk;
      return a_sent && b_sent;
    })) << round;
    ASSERT_TRUE(until_both([&] { return a.seen.message_count == 1 && b.seen.message_count == 1; }))
        << round;
    EXPECT_TRUE(a.seen.failures.empty() && b.seen.failures.empty()) << round;
    for (int i = 0; i < 10; ++i) one_more_each_way(round);
    simultaneous +=
        direct_counters(a).simultaneous_connects + direct_counters(b).simultaneous_connects;
  }
  EXPECT_GT(simultaneous, 0U) << "the test saw what it is about";
}

TEST_F(DirectConnections, TheEndIsReportedAfterTheLastMessage) {
  connect();
  // No more than may go unacknowledged.
  for (std::uint32_t i = 0; i < 12; ++i) ASSERT_TRUE(send(a, b_at_a, pattern(1000, i), {&a}));
  a.transport.reset();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  ASSERT_EQ(b.seen.messages.size(), 12U);
  EXPECT_EQ(b.seen.messages[11], pattern(1000, 11));
  EXPECT_EQ(b.seen.failures.size(), 1U);
  EXPECT_EQ(b.seen.failures[0].first, a_at_b);
}

// What the peer sent before it ended is read, although nothing can be sent to it any more.
TEST_F(DirectConnections, AConnectionThatCannotBeSentToIsReadToItsEnd) {
  connect();
  for (std::uint32_t i = 0; i < 5; ++i)
    // all in B's kernel: no more than may go unacknowledged
    ASSERT_TRUE(send(a, b_at_a, pattern(1000, i), {&a}));
  a.transport.reset();
  bool taken = true;
  for (int i = 0; i < 10 && taken; ++i) {  // a segment that finds no socket is answered by a reset
    const MessageBuffer buffer = b.transport->reserve(a_at_b, 8);
    taken = b.transport->commit(a_at_b, buffer, 8) == PostStatus::kOk;
    if (!taken) b.transport->abandon(a_at_b, buffer);
  }
  EXPECT_FALSE(taken) << "the test saw what it is about";
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.messages.size(), 5U);
}

// The peer has lost its connection and connects again before B has noticed.
TEST_F(DirectConnections, TheLossOfAConnectionIsReportedBeforeTheMessagesOfTheNextOne) {
  RawCaller first(b);
  complete_handshake(first, b);
  RawCaller again(b);
  Greeting greeting = again.greeting();
  greeting.generation = 2;
  expect_accepted_after_the_loss(again, greeting);
  EXPECT_TRUE(first.is_disconnected(b));
}

TEST_F(DirectConnections, ARequestUnderTheNameOfALivePeerDoesNotReplaceItsConnection) {
  RawCaller live(b);
  complete_handshake(live, b);
  live.send_message(pattern(8, 0));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
  RawCaller impostor(b);
  Greeting greeting = impostor.greeting();
  greeting.generation = ~std::uint64_t{0};  // any stranger may learn the incarnation
  impostor.send(greeting);
  EXPECT_TRUE(impostor.is_disconnected(b));
  const PeerId peer = b.transport->resolve(live.self()).value();
  EXPECT_EQ(b.seen.contested, std::vector{peer});
  live.send_message(pattern(8, 1));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 2; }));
  EXPECT_TRUE(b.seen.failures.empty());
}

// Its earlier connection has ended, but B has not noticed yet.
TEST_F(DirectConnections, TheRequestOfARestartedPeerIsAcceptedAfterItsLossWasReported) {
  RawCaller first(b);
  complete_handshake(first, b);
  first.close();
  RawCaller restarted(b);
  Greeting greeting = restarted.greeting();
  greeting.incarnation = 8;
  expect_accepted_after_the_loss(restarted, greeting);
  EXPECT_TRUE(b.seen.contested.empty());
}

TEST_F(DirectConnections, APeerThatReadsNothingIsLostAfterTheOutputTimeout) {
  NetworkOptions options = options_for(kDirect);
  options.output_timeout = std::chrono::milliseconds(100);
  options.send_frames = 1024;  // more than the kernel takes
  options.retained_bytes = std::size_t{1} << 30;
  open_both(options);
  connect();
  RawCaller deaf(b);
  complete_handshake(deaf, b);
  const PeerId peer = b.transport->resolve(deaf.self()).value();
  b.transport->admit(peer, {});
  const std::vector<std::byte> message(60'000, std::byte{1});
  while (const MessageBuffer buffer = b.transport->reserve(peer, message.size())) {
    std::memcpy(buffer.data, message.data(), message.size());
    ASSERT_EQ(b.transport->commit(peer, buffer, message.size()), PostStatus::kOk);
  }
  ASSERT_TRUE(send(b, a_at_b, pattern(8, 1), {&a, &b})) << "its frames are its own";
  ASSERT_TRUE(until_both([&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.failures[0].first, peer);
  EXPECT_THAT(b.seen.failures[0].second.reason(), HasSubstr("does not read"));
  EXPECT_TRUE(deaf.has_ended());
  ASSERT_TRUE(until_both([&] { return a.seen.message_count == 1; }));
}

// Each is sent an answer that it never acknowledges.
TEST_F(DirectConnections, CallersThatProveNothingLeaveTheFramesToPeers) {
  NetworkOptions options = options_for(kDirect);
  options.send_frames = 16;
  open_both(options);
  connect();
  b.transport->admit(a_at_b, {});
  const auto most_for_peer = [&] {
    std::vector<MessageBuffer> lent;
    while (MessageBuffer buffer = b.transport->reserve(a_at_b, 8))
      lent.push_back(std::move(buffer));
    for (const MessageBuffer& buffer : lent) b.transport->abandon(a_at_b, buffer);
    return lent.size();
  };
  const std::size_t before = most_for_peer();
  EXPECT_GT(before, SendShare::kOwnFrames);
  constexpr std::uint32_t kCallers = 40;
  std::vector<RawCaller> callers;
  for (std::uint32_t i = 0; i < kCallers; ++i) {
    RawCaller& caller = callers.emplace_back(b);
    Greeting greeting = caller.greeting();
    greeting.from_pid += i;
    caller.send(greeting);
    ASSERT_EQ(caller.answer(b), GreetingKind::kAccept);
    const PeerId peer = b.transport->resolve({caller.self().nid, Pid(greeting.from_pid)}).value();
    while (const MessageBuffer buffer = b.transport->reserve(peer, 8))
      ASSERT_EQ(b.transport->commit(peer, buffer, 8), PostStatus::kOk);
  }
  EXPECT_EQ(most_for_peer(), before);
}

// Without it, strangers that do the least would hold descriptors for ever.
TEST_F(DirectConnections, APeerThatIsNotAdmittedIsDisconnectedAfterTheConnectTimeout) {
  NetworkOptions options = options_for(kDirect);
  options.connect_timeout = std::chrono::milliseconds(100);
  open_both(options);
  RawCaller silent(b);
  complete_handshake(silent, b);
  EXPECT_TRUE(silent.is_disconnected(b));
  ASSERT_EQ(b.seen.failures.size(), 1U);
  EXPECT_THAT(b.seen.failures[0].second.reason(), HasSubstr("no session"));
}

// A long-lived process meets many others that come and go.
TEST_F(DirectConnections, PeersThatAreForgottenLeaveTheirIdsToOthers) {
  PeerId highest{0};
  for (std::uint32_t i = 0; i < 100; ++i) {
    RawCaller caller(b);
    Greeting greeting = caller.greeting();
    greeting.from_pid += i;
    caller.send(greeting);
    ASSERT_EQ(caller.answer(b), GreetingKind::kAccept);
    caller.reset();
    b.seen.failures.clear();
    ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
    highest = std::max(highest, b.seen.failures[0].first);
    b.transport->forget(b.seen.failures[0].first);
  }
  EXPECT_LT(highest.value, 3U);
}

// It would be looked at again and again without any use: what admits a peer comes before it.
TEST_F(DirectConnections, APlacedMessageOfAPeerThatIsNotAdmittedEndsItsConnection) {
  b.transport->enable_placement();
  RawCaller caller(b);
  complete_handshake(caller, b);
  caller.send(PieceHeader{1000, static_cast<std::uint8_t>(PieceKind::kPlaced), 0, 0});
  caller.send(PlacedHeader{1});
  caller.send_bytes(pattern(1000, 1));
  EXPECT_TRUE(caller.is_disconnected(b));
  ASSERT_EQ(b.seen.failures.size(), 1U);
  EXPECT_THAT(b.seen.failures[0].second.reason(), HasSubstr("before the session"));
}

// The request of another one under its name makes B read what the peer has sent, before B comes to
// the event of that. Connections on which others have sent something since are read first.
TEST_F(DirectConnections, APeerThatWaitsForMemoryIsNotLostByAnEventFromBefore) {
  RawCaller caller(b);
  complete_handshake(caller, b);
  const PeerId peer = b.transport->resolve(caller.self()).value();
  b.transport->admit(peer, ResumptionKey{std::byte{1}});
  RawCaller request(b);
  std::vector<RawCaller> others;
  for (std::uint32_t i = 1; i <= 2; ++i) {
    Greeting greeting = others.emplace_back(b).greeting();
    greeting.from_pid += i;
    others.back().send(greeting);
    ASSERT_EQ(others.back().answer(b), GreetingKind::kAccept);
  }
  others.back().send_message(pattern(8, 1));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
  std::vector<std::byte> piece(sizeof(PieceHeader) + sizeof(PlacedHeader) + 1000);
  encode(piece.data(), PieceHeader{1000, static_cast<std::uint8_t>(PieceKind::kPlaced), 0, 0});
  encode(piece.data() + sizeof(PieceHeader), PlacedHeader{1});
  Greeting greeting = request.greeting();
  greeting.incarnation = 8;
  request.send(greeting);
  caller.send_bytes(piece);
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.contested.empty(); }));
  EXPECT_EQ(direct_counters(b).interrupted, 0U);
  std::size_t placed_messages = 0;
  b.seen.when_placed_comes = [&] { ++placed_messages; };
  b.transport->enable_placement();
  EXPECT_TRUE(until({&b}, [&] { return placed_messages == 1; }));
}

TEST_F(DirectConnections, AnInvalidPieceEndsTheConnectionAndIsReported) {
  RawCaller raw_caller(b);
  complete_handshake(raw_caller, b);
  raw_caller.send_message(pattern(8, 1));
  raw_caller.send(PieceHeader{8, 77, 0, 0});
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.message_count, 1U);
  EXPECT_THAT(b.seen.failures[0].second.reason(), HasSubstr("kind"));
  EXPECT_TRUE(raw_caller.is_disconnected(b));
  EXPECT_EQ(direct_counters(b).broken_streams, 1U);
}

TEST_F(DirectConnections, AWriteToMemoryRegisteredForAnotherPeerEndsTheConnection) {
  connect();
  std::vector<std::byte> memory(100);
  const Registration region =
      b.transport->register_memory(a_at_b, memory, Access::kWriteTarget).value();
  RawCaller raw_caller(b);
  complete_handshake(raw_caller, b);
  raw_caller.send(PieceHeader{8, static_cast<std::uint8_t>(PieceKind::kWrite), 0, 0});
  raw_caller.send(WriteHeader{region.key, 0, 1, 0});
  raw_caller.send_bytes(pattern(8, 1));
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(memory, std::vector<std::byte>(100));
  EXPECT_TRUE(b.seen.immediates.empty());
  EXPECT_EQ(b.transport->name_of(b.seen.failures[0].first), raw_caller.self());
}

TEST_F(DirectConnections, TheConnectionGoesOnWhenMemoryIsDeregisteredDuringAWrite) {
  RawCaller raw_caller(b);
  complete_handshake(raw_caller, b);
  const PeerId peer = b.transport->resolve(raw_caller.self()).value();
  std::vector<std::byte> memory(1000);
  const Registration region =
      b.transport->register_memory(peer, memory, Access::kWriteTarget).value();
  const std::vector<std::byte> data = pattern(1000, 1);
  raw_caller.send(PieceHeader{1000, static_cast<std::uint8_t>(PieceKind::kWrite), 0, 0});
  raw_caller.send(WriteHeader{region.key, 0, 1, 0});
  raw_caller.send_bytes(std::span(data).first(400));
  ASSERT_TRUE(until({&b}, [&] { return memory[399] == data[399]; }));
  b.transport->deregister_memory(region);
  raw_caller.send_bytes(std::span(data).subspan(400));
  raw_caller.send_message(pattern(8, 2));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
  EXPECT_TRUE(std::all_of(memory.begin() + 400, memory.end(),
                          [](std::byte one) { return one == std::byte{0}; }));
  EXPECT_TRUE(b.seen.immediates.empty());
}

// More peers than are read without a poll of their sockets, each of which may send at any time.
TEST_F(DirectConnections, MessagesOfManyPeersAllArrive) {
  std::vector<Node> others;
  std::vector<PeerId> ids;
  for (int i = 0; i < 12; ++i) {
    others.push_back(open_node(options_for(kDirect)));
    ids.push_back(others.back().transport->resolve(b.transport->self()).value());
  }
  const auto poll_all = [&] {
    for (Node& other : others) other.poll();
    b.poll();
  };
  std::size_t expected = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    const std::size_t i = (round * 7) % others.size();
    ASSERT_TRUE(send(others[i], ids[i], pattern(8, round), {&others[i], &b}));
    ++expected;
    const TimePoint end = monotonic_now() + kTimeout;
    while (b.seen.message_count < expected && monotonic_now() < end) poll_all();
    ASSERT_EQ(b.seen.messages.back(), pattern(8, round));
  }
}

TEST_F(DirectConnections, AFloodOfSomePeersDoesNotBlockAnother) {
  connect();
  std::vector<Node> flooding;
  std::vector<PeerId> ids;
  for (int i = 0; i < 3; ++i) {
    flooding.push_back(open_node(options_for(kDirect)));
    ids.push_back(flooding.back().transport->resolve(b.transport->self()).value());
  }
  b.seen.keep_messages = false;
  const auto flood = [&] {
    for (std::size_t i = 0; i < flooding.size(); ++i) {
      while (const MessageBuffer buffer = flooding[i].transport->reserve(ids[i], 60000)) {
        buffer.data[0] = std::byte{1};
        if (flooding[i].transport->commit(ids[i], buffer, 60000) == PostStatus::kOk) continue;
        flooding[i].transport->abandon(ids[i], buffer);
        break;
      }
      flooding[i].poll();
    }
  };
  for (int i = 0; i < 200; ++i) {
    flood();
    b.poll();
  }
  ASSERT_GT(b.seen.message_count, 100U);
  b.seen.keep_messages = true;
  ASSERT_TRUE(send(a, b_at_a, pattern(8, 5), {&a}));
  bool arrived = false;
  for (int polls = 0; polls < 10 && !arrived; ++polls) {
    flood();
    b.seen.messages.clear();
    b.poll();
    arrived = std::ranges::any_of(b.seen.messages,
                                  [](const auto& message) { return message == pattern(8, 5); });
  }
  EXPECT_TRUE(arrived);
}

// A process may run out of descriptors and have free ones later.
TEST_F(DirectConnections, ConnectionsWaitForAFreeDescriptorWithoutSpinning) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::vector<FileDescriptor> used;
  RawCaller early(b);  // connected at the kernel, but the transport has no descriptor to accept it
  rlimit low = before;
  low.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  for (;;) {
    used.emplace_back(::dup(0));
    if (!used.back().is_open()) break;
  }
  early.send(early.greeting());
  const double begun = processor_seconds();
  const TimePoint end = monotonic_now() + std::chrono::milliseconds(500);
  while (monotonic_now() < end) {
    sleep_once(*b.transport, end - monotonic_now());
    b.poll();
  }
  EXPECT_LT(processor_seconds() - begun, 0.1);
  used.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(early.answer(b), GreetingKind::kAccept);
}

// The child has inherited the sockets and keeps them open.
TEST_F(DirectConnections, AConnectionEndsAlthoughAChildProcessHoldsItsSocket) {
  RawCaller raw_caller(b);
  complete_handshake(raw_caller, b);
  int hold[2];
  ASSERT_EQ(::pipe(hold), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(hold[1]);
    raw_caller.close();
    char byte = 0;
    (void)!::read(hold[0], &byte, 1);
    ::_exit(0);
  }
  ::close(hold[0]);
  raw_caller.close();
  EXPECT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  expect_idle_costs_nothing(b);
  ::close(hold[1]);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

// One more attempt was made to reach the peer, as a session does to send its goodbye.
TEST_F(DirectConnections, AConnectionToADeadPeerKeepsNobodyAwake) {
  connect();
  a.transport.reset();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  const MessageBuffer buffer = b.transport->reserve(a_at_b, 8);
  EXPECT_EQ(b.transport->commit(a_at_b, buffer, 8), PostStatus::kWouldBlock);
  b.transport->abandon(a_at_b, buffer);
  expect_idle_costs_nothing(b);
  EXPECT_EQ(b.seen.failures.size(), 1U);
}

TEST_F(DirectConnections, AResetWhilePausedLosesNothingThatHadArrived) {
  RawCaller raw_caller(b);
  complete_handshake(raw_caller, b);
  b.transport->admit(b.transport->resolve(raw_caller.self()).value(), {});
  raw_caller.send_message(pattern(8, 1));
  raw_caller.send(PieceHeader{1000, static_cast<std::uint8_t>(PieceKind::kPlaced), 8, 0});
  raw_caller.send(PlacedHeader{1});
  raw_caller.send_bytes(pattern(8, 2));
  raw_caller.send_bytes(pattern(1000, 3));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
  until({&b}, [&, turns = 0]() mutable { return ++turns > 100; });
  raw_caller.reset();
  expect_idle_costs_nothing(b);
  EXPECT_TRUE(b.seen.failures.empty());
  std::size_t placed_messages = 0;
  b.seen.when_placed_comes = [&] { placed_messages += b.seen.failures.empty() ? 1 : 0; };
  b.transport->enable_placement();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(placed_messages, 1U);
}

// All memory for unexpected payloads is held by peers that do not end theirs.
// `behind_an_end`: the payload arrives with the acknowledgement that ends a write to its sender.
void DirectConnections::make_room_for_one(Holders holders, bool behind_an_end) {
  NetworkOptions options = options_for(kDirect);
  options.output_timeout = std::chrono::milliseconds(100);
  options.connect_timeout = kTimeout;
  open_both(options);
  connect();
  b.transport->enable_placement();
  std::vector<RawCaller> stuck;
  for (int i = 0; i < 16; ++i) {
    const bool nearly_ends = holders == Holders::kOneHasNearlyEnded && i == 5;
    begin_payload(stuck, nearly_ends ? 1000 : UnexpectedMemory::kBytes);
    if (nearly_ends) stuck.back().send_bytes(pattern(999, 1));
  }
  std::vector<std::byte> memory(1000);
  const std::vector<std::byte> data = pattern(1000, 5);
  if (behind_an_end) {
    const Registration target =
        a.transport->register_memory(b_at_a, memory, Access::kWriteTarget).value();
    ASSERT_TRUE(write(b, a_at_b, data, {target.key, target.base}, Immediate(9), Context(1), {&b}));
    ASSERT_TRUE(until({&a}, [&] { return !a.seen.immediates.empty(); }));
  }
  std::size_t placed_messages = 0;
  b.seen.when_placed_comes = [&] { ++placed_messages; };
  const std::vector<std::byte> payload = pattern(1000, 1);
  const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
  ASSERT_TRUE(until({&a}, [&] {
    return a.transport->commit_placed(b_at_a, buffer, 8, payload, PlacementKey{1}, Context(1)) ==
           PostStatus::kOk;
  }));
  ASSERT_TRUE(until_both([&] {
    if (holders == Holders::kSendAByteNowAndThen) {
      for (RawCaller& holder : stuck) {
        if (b.seen.failures.empty()) holder.send_bytes(pattern(1, 1));
      }
    }
    return placed_messages == 1;
  }));
  EXPECT_FALSE(b.seen.failures.empty());
  const ProcessId nearly_ended{stuck[0].self().nid, Pid(stuck[0].self().pid.value + 5)};
  for (const auto& [peer, error] : b.seen.failures) {
    EXPECT_NE(peer, a_at_b);
    EXPECT_THAT(error.reason(), HasSubstr("does not end it"));
    if (holders == Holders::kOneHasNearlyEnded) {
      EXPECT_NE(b.transport->name_of(peer), nearly_ended);
    }
  }
}

TEST_F(DirectConnections, PeersThatDoNotGoOnWithAPayloadMakeRoomForOneThatDoes) {
  make_room_for_one(Holders::kSendNothing, false);
}

TEST_F(DirectConnections, TheyMakeRoomAlsoForOneBehindTheEndOfAWrite) {
  make_room_for_one(Holders::kSendNothing, true);
}

TEST_F(DirectConnections, OfThosePeersTheOneOfWhosePayloadLeastIsMissingIsTheLast) {
  make_room_for_one(Holders::kOneHasNearlyEnded, false);
}

TEST_F(DirectConnections, PeersThatSendAByteNowAndThenMakeRoomToo) {
  make_room_for_one(Holders::kSendAByteNowAndThen, false);
}

// All memory for unexpected placed messages is in use and stays so.
TEST_F(DirectConnections, AWaitForPlacementMemoryKeepsNobodyAwakeAndEnds) {
  connect();
  b.transport->enable_placement();
  std::vector<RawCaller> slow;
  for (int i = 0; i < 17; ++i) begin_payload(slow);
  // The last peer's message finds no memory. The placement that is expected from it has another
  // key.
  const PeerId last =
      b.transport->resolve({slow.back().self().nid, Pid(slow.back().self().pid.value + 16)})
          .value();
  std::vector<std::byte> memory(1000);
  ASSERT_TRUE(b.transport->expect_placement(last, PlacementKey{2}, memory));
  expect_idle_costs_nothing(b);
  std::size_t placed_messages = 0;
  b.seen.when_placed_comes = [&] { ++placed_messages; };
  slow.front().send_bytes(pattern(1000, 1));
  ASSERT_TRUE(until({&b}, [&] { return placed_messages == 1; }));
  slow.back().send_bytes(pattern(1000, 1));
  ASSERT_TRUE(until({&b}, [&] { return placed_messages == 2; }));
  EXPECT_EQ(b.transport->withdraw_placement(last), Withdrawal::kWithdrawn);
}

TEST_F(DirectConnections, APauseForPlacedMessagesDoesNotKeepTheOwnerAwake) {
  connect();
  const std::vector<std::byte> payload = pattern(100000, 1);
  const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
  ASSERT_TRUE(until({&a}, [&] {
    return a.transport->commit_placed(b_at_a, buffer, 8, payload, PlacementKey{1}, Context(1)) ==
           PostStatus::kOk;
  }));
  until_both([&, turns = 0]() mutable { return ++turns > 100; });
  expect_idle_costs_nothing(b);
  a.transport.reset();
  until({&b}, [&, turns = 0]() mutable { return ++turns > 100; });
  EXPECT_TRUE(b.seen.failures.empty()) << "what came before its end comes first";
  std::size_t placed_messages = 0;
  b.seen.when_placed_comes = [&] { placed_messages += b.seen.failures.empty() ? 1 : 0; };
  b.transport->enable_placement();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(placed_messages, 1U);
}

}  // namespace
}  // namespace lintel::transport
