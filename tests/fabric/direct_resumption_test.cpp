// Connections of direct transports that are lost and go on: nothing is lost and nothing arrives
// twice. A caller that does not prove to be the peer resumes nothing.
#include <gmock/gmock.h>

#include <random>

#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/raw_caller.h"
#include "tests/fabric/waiting.h"
#include "transport/direct/resumption_proof.h"
#include "transport/direct/unexpected_memory.h"

namespace lintel::transport {
namespace {

using testing::HasSubstr;

constexpr ResumptionKey kKey{std::byte{1}, std::byte{2}};

class DirectResumption : public TwoNodes, public testing::Test {
 protected:
  void SetUp() override { open_with({}); }
  void open_with(NetworkOptions options) {
    options.name = DirectTransport::kName;
    open_both(options);
    a.key = b.key = kKey;
    connect();
  }
  void cut() { a.transport->interrupt(b_at_a); }
  // Memory of B, for begin_write().
  void expose(std::size_t bytes) {
    written = pattern(bytes, 5);
    target.resize(bytes);
    registration = b.transport->register_memory(a_at_b, target, Access::kWriteTarget).value();
  }
  // By A.
  void begin_write() {
    ASSERT_TRUE(write(a, b_at_a, written, {registration.key, registration.base}, Immediate(9),
                      Context(1), {&a}));
  }
  std::uint64_t resumed(const Node& node) { return direct_counters(node).resumed; }
  // Of the two with each other.
  void expect_no_failure() {
    for (const auto& [peer, error] : a.seen.failures) EXPECT_NE(peer, b_at_a) << error.reason();
    for (const auto& [peer, error] : b.seen.failures) EXPECT_NE(peer, a_at_b) << error.reason();
  }

  std::vector<std::byte> written;
  std::vector<std::byte> target;
  Registration registration;
};

TEST_F(DirectResumption, MessagesOfBothSidesArriveOnceAndInOrderOverManyCuts) {
  std::mt19937 random(1);
  constexpr std::uint32_t kMessages = 3000;
  std::uint32_t from_a = 0;
  std::uint32_t from_b = 0;
  const auto send_next = [](Node& from, PeerId to, std::uint32_t& number) {
    const std::vector<std::byte> message = pattern(number % 3000, number);
    const MessageBuffer buffer = from.transport->reserve(to, message.size());
    if (!buffer) return;
    if (!message.empty()) std::memcpy(buffer.data, message.data(), message.size());
    if (from.transport->commit(to, buffer, message.size()) == PostStatus::kOk) {
      ++number;
    } else {
      from.transport->abandon(to, buffer);
    }
  };
  ASSERT_TRUE(until_both([&] {
    if (from_a < kMessages) send_next(a, b_at_a, from_a);
    if (from_b < kMessages) send_next(b, a_at_b, from_b);
    if (random() % 32 == 0) cut();
    return a.seen.message_count == kMessages && b.seen.message_count == kMessages;
  })) << a.seen.message_count
      << " and " << b.seen.message_count << " of " << kMessages;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    ASSERT_EQ(a.seen.messages[i], pattern(i % 3000, i)) << i;
    ASSERT_EQ(b.seen.messages[i], pattern(i % 3000, i)) << i;
  }
  EXPECT_GT(resumed(a), 20U);
  expect_no_failure();
}

TEST_F(DirectResumption, AWriteEndsWhenItHasArrivedWholeAlthoughItWasCut) {
  expose(DirectTransport::kMaxWriteBytes);
  begin_write();
  for (int i = 0; i < 3; ++i) {
    until_both([&, turns = 0]() mutable { return ++turns > 3; });
    cut();
  }
  EXPECT_TRUE(b.seen.immediates.empty()) << "the test saw what it is about";
  ASSERT_TRUE(until_both([&] { return !a.seen.write_ends.empty(); }));
  EXPECT_TRUE(a.seen.write_ends[0].error.ok());
  EXPECT_EQ(b.seen.immediates, std::vector{Immediate(9)}) << "it has arrived before its end";
  EXPECT_EQ(target, written);
  EXPECT_GT(resumed(b), 0U);
  expect_no_failure();
}

TEST_F(DirectResumption, AWriteDoesNotEndBeforeItHasArrived) {
  expose(1000);
  begin_write();
  until({&a}, [&, turns = 0]() mutable { return ++turns > 100; });
  EXPECT_TRUE(a.seen.write_ends.empty());
  ASSERT_TRUE(until_both([&] { return !a.seen.write_ends.empty(); }));
  EXPECT_EQ(b.seen.immediates.size(), 1U);
}

TEST_F(DirectResumption, TheEndOfAWriteIsReportedAPollBeforeTheAnswerThatBringsIt) {
  const std::size_t messages = a.seen.messages.size();
  expose(1000);
  begin_write();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.immediates.empty(); }));
  ASSERT_TRUE(send(b, a_at_b, pattern(8, 2), {&b}));
  ASSERT_TRUE(until({&a}, [&] { return !a.seen.write_ends.empty(); }));
  EXPECT_EQ(a.seen.messages.size(), messages);
  EXPECT_FALSE(a.transport->prepare_wait()) << "the answer is there already";
  a.poll();
  EXPECT_EQ(a.seen.messages.size(), messages + 1);
}

TEST_F(DirectResumption, AnAnswerThatWaitsForTheEndOfAWriteArrivesAlsoIfTheConnectionEnds) {
  const std::size_t messages = a.seen.messages.size();
  expose(1000);
  for (std::uint32_t round = 1; round <= 20; ++round) {
    begin_write();
    ASSERT_TRUE(until_both([&] { return b.seen.immediates.size() == round; }));
    ASSERT_TRUE(send(b, a_at_b, pattern(8, 2), {&b}));
    ASSERT_TRUE(until({&a}, [&] { return a.seen.write_ends.size() == round; }));
    cut();
    ASSERT_TRUE(until_both([&] { return a.seen.messages.size() == messages + round; }));
  }
  EXPECT_GT(resumed(a), 0U);
  expect_no_failure();
}

TEST_F(DirectResumption, WhatAPeerHasSaidBeforeItIsGoneArrivesAlsoBehindTheEndOfAWrite) {
  expose(1000);
  begin_write();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.immediates.empty(); }));
  ASSERT_TRUE(send(b, a_at_b, pattern(8, 2), {&b}));
  b.transport.reset();
  const std::size_t messages = a.seen.messages.size();
  for (int i = 0; i < 3; ++i) {  // the first brings a reset, which the next one meets
    const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
    if (a.transport->commit(b_at_a, buffer, 8) != PostStatus::kOk)
      a.transport->abandon(b_at_a, buffer);
  }
  ASSERT_TRUE(until({&a}, [&] { return !a.seen.failures.empty(); }));
  EXPECT_EQ(a.seen.messages.size(), messages + 1);
}

TEST_F(DirectResumption, APlacedMessageThatWasCutArrivesOnce) {
  b.transport->enable_placement();
  std::vector<std::byte> memory(1 << 20);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, PlacementKey{1}, memory));
  std::size_t placed = 0;
  b.seen.when_placed_comes = [&] { ++placed; };
  const std::vector<std::byte> payload = pattern(1 << 20, 3);
  const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
  ASSERT_EQ(a.transport->commit_placed(b_at_a, buffer, 8, payload, PlacementKey{1}, Context(1)),
            PostStatus::kOk);
  for (int i = 0; i < 4 && placed == 0; ++i) {
    b.poll();
    cut();
  }
  ASSERT_TRUE(until_both([&] { return !a.seen.write_ends.empty(); }));
  EXPECT_TRUE(a.seen.write_ends[0].error.ok());
  EXPECT_EQ(placed, 1U);
  EXPECT_EQ(memory, payload);
  expect_no_failure();
}

TEST_F(DirectResumption, UnexpectedPlacedMessagesThatAreCutLeaveNoMemoryInUse) {
  b.transport->enable_placement();
  const auto in_the_middle = [&] {
    std::string state;
    b.transport->dump(state);
    return state.find("payloads that arrive unexpected: 0\n") == std::string::npos;
  };
  const std::vector<std::byte> payload = pattern(UnexpectedMemory::kBytes, 3);
  constexpr std::size_t kCuts = 2 * UnexpectedMemory::kMost;
  std::size_t cuts = 0;
  for (std::size_t sent = 1; cuts < kCuts && sent <= 100 * kCuts; ++sent) {
    const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
    ASSERT_EQ(a.transport->commit_placed(b_at_a, buffer, 8, payload, PlacementKey{1}, Context(1)),
              PostStatus::kOk);
    bool was_cut = false;
    ASSERT_TRUE(until_both([&] {
      narrow_all_sockets();
      if (!was_cut && in_the_middle()) {
        cut();
        was_cut = true;
        ++cuts;
      }
      return a.seen.write_ends.size() == sent;
    })) << "after "
        << cuts << " cuts";
  }
  EXPECT_EQ(cuts, kCuts);
  EXPECT_FALSE(in_the_middle());
  expect_no_failure();
}

TEST_F(DirectResumption, BothSidesMayNoticeTheLossAtOnce) {
  for (std::uint32_t round = 0; round < 200; ++round) {
    cut();
    b.transport->interrupt(a_at_b);
    one_more_each_way(round);
    if (HasFatalFailure()) return;
  }
  expect_no_failure();
}

TEST_F(DirectResumption, OneSideNoticesTheLossAndTheOtherDoesNot) {
  for (std::uint32_t round = 0; round < 50; ++round) {
    Node& notices = round % 2 == 0 ? a : b;
    notices.transport->interrupt(round % 2 == 0 ? b_at_a : a_at_b);
    // The other side learns it from the request of this one.
    one_more_each_way(round);
    if (HasFatalFailure()) return;
  }
  expect_no_failure();
}

// As a session asks for when a long write delays the answer of the peer.
TEST_F(DirectResumption, AConnectionOnWhichBytesMoveIsNotInterruptedForSilence) {
  NetworkOptions options;
  options.output_timeout = std::chrono::hours(1);
  open_with(options);
  expose(DirectTransport::kMaxWriteBytes);
  begin_write();
  std::size_t asked = 0;
  ASSERT_TRUE(until_both([&] {
    a.transport->interrupt_if_silent(b_at_a);
    b.transport->interrupt_if_silent(a_at_b);
    ++asked;
    return !a.seen.write_ends.empty();
  }));
  EXPECT_GT(asked, 1U) << "the test saw what it is about";
  EXPECT_EQ(target, written);
  EXPECT_EQ(direct_counters(a).interrupted, 0U);
  EXPECT_EQ(direct_counters(b).interrupted, 0U);
}

TEST_F(DirectResumption, AConnectionOnWhichNothingMovesIsReplacedForSilence) {
  NetworkOptions options;
  options.output_timeout = std::chrono::seconds(2);
  open_with(options);
  ASSERT_TRUE(until_both([&] {
    a.transport->interrupt_if_silent(b_at_a);
    return resumed(a) > 0 && resumed(b) > 0;
  }));
  one_more_each_way(1);
  expect_no_failure();
}

// A message that was acknowledged by no reply is resent, whoever needs it.
TEST_F(DirectResumption, AnIdleConnectionGoesOnWithoutAMessage) {
  cut();
  ASSERT_TRUE(until_both([&] { return resumed(a) == 1 && resumed(b) == 1; }));
  expect_no_failure();
  expect_idle_costs_nothing(a);
}

TEST_F(DirectResumption, MessagesOfASuspendedConnectionWaitForTheNext) {
  cut();
  a.poll();
  ASSERT_THAT(a.transport->describe(b_at_a), HasSubstr("to be resumed"));
  ASSERT_TRUE(send(a, b_at_a, pattern(8, 1), {}));
  ASSERT_TRUE(until_both([&] { return b.seen.message_count == 1; }));
  EXPECT_EQ(resumed(a), 1U);
}

TEST_F(DirectResumption, ThePeersEndIsALoss) {
  ASSERT_TRUE(send(a, b_at_a, pattern(8, 1), {&a}));
  a.transport.reset();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.message_count, 1U) << "what it sent comes first";
  EXPECT_THAT(b.seen.failures[0].second.reason(), HasSubstr("closed the connection"));
}

TEST_F(DirectResumption, APeerThatWasStartedAgainUnderItsNameIsAnotherOne) {
  NetworkOptions options = options_for(DirectTransport::kName);
  options.pid = a.transport->self().pid;
  a.transport.reset();
  a = open_node(options);
  ASSERT_TRUE(until_both([&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.failures.size(), 1U);
  EXPECT_EQ(resumed(b), 0U);
}

TEST_F(DirectResumption, ASideThatHasDisconnectedDoesNotResume) {
  a.transport->disconnect(b_at_a);
  ASSERT_TRUE(until_both([&] { return !b.seen.failures.empty(); }));
  EXPECT_TRUE(a.seen.failures.empty());
  EXPECT_EQ(resumed(b), 0U);
}

TEST_F(DirectResumption, ALossThatNoConnectionEndsIsReportedAfterTheTimeout) {
  NetworkOptions options;
  options.output_timeout = std::chrono::milliseconds(100);
  open_with(options);
  cut();
  // A listens, and answers nothing.
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.failures[0].first, a_at_b);
}

TEST_F(DirectResumption, KeepsNoMoreMessagesThanItMay) {
  NetworkOptions options;
  options.retained_bytes = 10'000;
  open_with(options);
  cut();
  a.poll();
  const std::vector<std::byte> message = pattern(4'000, 1);
  std::uint32_t taken = 0;
  while (const MessageBuffer buffer = a.transport->reserve(b_at_a, message.size())) {
    std::memcpy(buffer.data, message.data(), message.size());
    ASSERT_EQ(a.transport->commit(b_at_a, buffer, message.size()), PostStatus::kOk);
    ASSERT_LT(++taken, 100U);
  }
  EXPECT_EQ(taken, 3U) << "the third passes the limit";
  ASSERT_TRUE(until_both([&] { return b.seen.message_count == taken; }));
  EXPECT_TRUE(until_both([&] {
    const MessageBuffer buffer = a.transport->reserve(b_at_a, message.size());
    if (buffer) a.transport->abandon(b_at_a, buffer);
    return static_cast<bool>(buffer);
  })) << "acknowledgements make room";
}

// So that frames for peers that never answer do not run out.
TEST_F(DirectResumption, MessagesThatNobodyAnswersAreKeptForAShortTime) {
  const auto kept = [this] {
    std::string state;
    a.transport->dump(state);
    return state.find("messages unacknowledged or lent: 0\n") == std::string::npos;
  };
  ASSERT_TRUE(until_both([&] { return !kept(); }));
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(send(a, b_at_a, pattern(8, i), {}));
  until({&a}, [&, turns = 0]() mutable { return ++turns > 100; });
  EXPECT_TRUE(kept()) << "B has not seen them";
  EXPECT_TRUE(until_both([&] { return !kept(); }));
}

// What was to be acknowledged on a connection is forgotten with it.
TEST_F(DirectResumption, ADisconnectWhileAMessageIsReportedLeavesNothingBehind) {
  until_both(
      [&, end = monotonic_now() + std::chrono::milliseconds(20)] { return monotonic_now() > end; });
  b.seen.when_message = [&] { b.transport->disconnect(a_at_b); };
  ASSERT_TRUE(send(a, b_at_a, pattern(8, 1), {}));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count == 1; }));
  b.seen.when_message = nullptr;
  until({&b}, [&, end = monotonic_now() + std::chrono::milliseconds(20)] {
    return monotonic_now() > end;
  });
  std::string state;
  b.transport->dump(state);
  EXPECT_THAT(state, HasSubstr("connections: 0\n"));
  EXPECT_THAT(state, HasSubstr("connections being made: 0\n"));
}

TEST_F(DirectResumption, WhatWaitedForMemoryIsAcknowledgedWhenItIsPlaced) {
  const std::vector<std::byte> payload = pattern(1000, 3);
  const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
  ASSERT_EQ(a.transport->commit_placed(b_at_a, buffer, 8, payload, PlacementKey{1}, Context(1)),
            PostStatus::kOk);
  until_both(
      [&, end = monotonic_now() + std::chrono::milliseconds(20)] { return monotonic_now() > end; });
  EXPECT_TRUE(a.seen.write_ends.empty()) << "the test saw what it is about";
  b.transport->enable_placement();
  EXPECT_TRUE(until_both([&] { return !a.seen.write_ends.empty(); }, std::chrono::seconds(5)));
}

// ---- Strangers

class DirectTakeover : public DirectResumption {
 protected:
  // A raw socket with the names of A, to B.
  RawCaller stranger() {
    RawCaller caller(b);
    caller.claim(a.transport->self());
    return caller;
  }
  // Without a proof.
  static void send_greeting(RawCaller& caller, GreetingKind kind, std::uint64_t incarnation) {
    Greeting greeting = caller.greeting(kind);
    greeting.incarnation = incarnation;
    caller.send(greeting);
    caller.send(Resumption{});
  }
  // A stranger on the path has seen it.
  std::uint64_t incarnation_of(Node& node) {
    RawCaller listener(node);
    listener.send(listener.greeting());
    EXPECT_EQ(listener.answer(node), GreetingKind::kAccept);
    return listener.answered().incarnation;
  }
  void expect_unharmed() {
    one_more_each_way(1);
    EXPECT_EQ(resumed(b), 0U);
    expect_no_failure();
  }
};

TEST_F(DirectTakeover, ARequestWithoutAProofChangesNothing) {
  RawCaller caller = stranger();
  send_greeting(caller, GreetingKind::kResume, incarnation_of(a));
  ASSERT_EQ(caller.answer(b), GreetingKind::kChallenge);
  expect_unharmed();
}

TEST_F(DirectTakeover, AWrongProofChangesNothing) {
  RawCaller caller = stranger();
  const std::uint64_t incarnation = incarnation_of(a);
  send_greeting(caller, GreetingKind::kResume, incarnation);
  ASSERT_EQ(caller.answer(b), GreetingKind::kChallenge);
  send_greeting(caller, GreetingKind::kProof, incarnation);
  ASSERT_EQ(caller.answer(b), GreetingKind::kNoStream);
  EXPECT_TRUE(caller.is_disconnected(b));
  expect_unharmed();
}

TEST_F(DirectTakeover, ARequestOfAnotherIncarnationIsRefusedAndChangesNothing) {
  RawCaller caller = stranger();
  caller.send(caller.greeting(GreetingKind::kResume));
  caller.send(Resumption{});
  EXPECT_EQ(caller.answer(b), GreetingKind::kNoStream);
  expect_unharmed();
}

TEST_F(DirectTakeover, StrangersWhileTheConnectionIsAwayChangeNothing) {
  constexpr std::uint32_t kMessages = 5;
  const std::uint64_t incarnation = incarnation_of(a);
  for (std::uint32_t i = 0; i < kMessages; ++i) ASSERT_TRUE(send(a, b_at_a, pattern(20, i), {&a}));
  b.transport->interrupt(a_at_b);  // what it has not read is lost
  for (const GreetingKind kind :
       {GreetingKind::kConnect, GreetingKind::kResume, GreetingKind::kProof}) {
    RawCaller caller = stranger();
    if (kind == GreetingKind::kConnect) {
      caller.send(caller.greeting());
    } else {
      send_greeting(caller, kind, incarnation);
    }
    const std::optional<GreetingKind> answer = caller.answer(b);
    EXPECT_NE(answer, GreetingKind::kAccept);
    EXPECT_NE(answer, GreetingKind::kResumed);
    if (answer != GreetingKind::kChallenge) continue;
    send_greeting(caller, GreetingKind::kProof, incarnation);
    EXPECT_EQ(caller.answer(b), GreetingKind::kNoStream);
  }
  ASSERT_TRUE(until_both([&] { return b.seen.message_count == kMessages; }));
  one_more_each_way(kMessages);
  for (std::uint32_t i = 0; i <= kMessages; ++i)
    EXPECT_EQ(b.seen.messages[i], pattern(i < kMessages ? 20 : 8, i));
  EXPECT_EQ(resumed(b), 1U);
  expect_no_failure();
}

TEST_F(DirectTakeover, AProofThatWasNotAskedForIsRefused) {
  RawCaller caller = stranger();
  send_greeting(caller, GreetingKind::kProof, incarnation_of(a));
  EXPECT_TRUE(caller.is_disconnected(b));
  expect_unharmed();
}

TEST_F(DirectTakeover, AConnectRequestAfterAChallengeIsRefused) {
  RawCaller caller = stranger();
  send_greeting(caller, GreetingKind::kResume, incarnation_of(a));
  ASSERT_EQ(caller.answer(b), GreetingKind::kChallenge);
  caller.send(caller.greeting());
  EXPECT_TRUE(caller.is_disconnected(b));
  expect_unharmed();
}

// As when the network is stuck on one TCP connection and not on another.
TEST_F(DirectTakeover, ARequestThatIsNotAnsweredGivesWayToThePeers) {
  NetworkOptions options;
  options.output_timeout = std::chrono::hours(1);  // a request is given up after a quarter of it
  open_with(options);
  const bool a_is_lower = a.transport->self() < b.transport->self();
  Node& lower = a_is_lower ? a : b;
  Node& higher = a_is_lower ? b : a;
  const std::uint64_t incarnation = incarnation_of(higher);
  lower.transport->interrupt(a_is_lower ? b_at_a : a_at_b);
  // From here on the other side is not polled, so that it answers nothing.
  std::optional<GreetingKind> answer;
  int asked = 0;
  ASSERT_TRUE(until({&lower}, [&] {
    if (++asked < 100) return false;  // its own request was sent
    RawCaller caller(lower);
    caller.claim(higher.transport->self());
    send_greeting(caller, GreetingKind::kResume, incarnation);
    answer = caller.answer(lower);
    return answer != GreetingKind::kSimultaneous;
  }));
  EXPECT_EQ(answer, GreetingKind::kChallenge);
  one_more_each_way(1);
  expect_no_failure();
}

TEST_F(DirectTakeover, ACrowdThatSendsNothingDoesNotDisplaceARequest) {
  RawCaller caller = stranger();
  const std::uint64_t incarnation = incarnation_of(a);
  send_greeting(caller, GreetingKind::kResume, incarnation);
  ASSERT_EQ(caller.answer(b), GreetingKind::kChallenge);
  std::vector<RawCaller> silent = silent_crowd(b);
  ASSERT_TRUE(silent.front().is_disconnected(b)) << "there was no room for all";
  send_greeting(caller, GreetingKind::kProof, incarnation);
  EXPECT_EQ(caller.answer(b), GreetingKind::kNoStream) << "it has waited for the proof";
}

TEST(ResumptionProof, DependsOnAllThatTheTwoContribute) {
  ResumptionHalf one;
  one.name = {NodeId(1), Pid(2)};
  ResumptionHalf other;
  other.name = {NodeId(1), Pid(3)};
  const Digest request = prove_request(kKey, one, other);
  const Digest resumed = prove_resumed(kKey, one, other);
  EXPECT_NE(request, resumed);
  EXPECT_NE(prove_request({}, one, other), request);
  EXPECT_NE(prove_request(kKey, other, one), request);
  for (const bool first : {true, false}) {
    for (int field = 0; field < 7; ++field) {
      ResumptionHalf changed = first ? one : other;
      switch (field) {
        case 0: ++changed.name.pid.value; break;
        case 1: ++changed.incarnation; break;
        case 2: ++changed.end.sin_port; break;
        case 3: ++changed.end.sin_addr.s_addr; break;
        case 4: changed.nonce.back() = std::byte{1}; break;
        case 5: ++changed.generation; break;
        default: ++changed.received; break;
      }
      const ResumptionHalf& left = first ? changed : one;
      const ResumptionHalf& right = first ? other : changed;
      EXPECT_NE(prove_resumed(kKey, left, right), resumed) << first << field;
      // The requester does not know these of the other side yet.
      EXPECT_EQ(prove_request(kKey, left, right) == request, !first && field >= 5)
          << first << field;
    }
  }
}

}  // namespace
}  // namespace lintel::transport
