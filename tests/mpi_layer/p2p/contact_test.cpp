// Processes with which no message was exchanged: a wait for one of them notices its death, and no
// connection is made to others.

#include <array>
#include <functional>

#include "base/counters.h"
#include "tests/mpi_layer/p2p/p2p_test.h"
#include "transport/session/session.h"

namespace lintel::testing {
namespace {

using transport::Death;
using transport::PeerState;

constexpr Nanoseconds kAWhile = 250ms;
constexpr Nanoseconds kDeadline = 1s;

class Contact : public P2pTest {
 protected:
  Contact() { start(); }
  void start(MessengerJobOptions options = {}) {
    options.processes = 3;
    options.session.dead_peer_deadline = options.session.connect_deadline = kDeadline;
    options.messenger.contact_after = kAWhile;
    P2pTest::start(options);
  }
  void exchange(std::size_t from, std::int32_t to) {
    Transfer& received =
        receive(static_cast<std::size_t>(to), static_cast<std::int32_t>(from), 8, {.tag = 1000});
    EXPECT_TRUE(arrived(send(from, to, 8, {.tag = 1000}), received));
  }
  PeerState session(std::size_t rank, std::size_t with) {
    portals::Process& process = job->processes().process(rank);
    const MutexLock lock(process.lock());
    auto& session = job->processes().session(rank);
    return session.state_of(*session.resolve(SimulatedProcesses::name(with)));
  }
  TimePoint now() { return job->processes().network().now(); }
  // Asks repeatedly while time passes. Returns how long it took until the answer was yes.
  Nanoseconds until(const std::function<bool()>& answer) {
    const TimePoint begin = now();
    while (!answer() && now() - begin < 10s) job->run(5ms);
    return now() - begin;
  }
};

// One way to wait for a receive.
struct Way {
  const char* name;
  // returns false while it waits; the second request never ends
  std::function<bool(mpi::Messenger&, mpi::MessageRequest&, mpi::MessageRequest&)> ask;
  bool blocks;
};

const std::vector<Way>& ways() {
  using mpi::MessageRequest;
  using mpi::Messenger;
  using Requests = std::array<MessageRequest*, 2>;
  static const std::vector<Way> all = {
      {"Wait",
       [](Messenger& at, MessageRequest& one, MessageRequest&) { return at.wait(one), true; },
       true},
      {"WaitAll",
       [](Messenger& at, MessageRequest& one, MessageRequest&) {
         return at.wait_all(Requests{nullptr, &one}), true;
       },
       true},
      {"WaitAny",
       [](Messenger& at, MessageRequest& one, MessageRequest& other) {
         return at.wait_any(Requests{&other, &one}) == 1;
       },
       true},
      {"WaitSome",
       [](Messenger& at, MessageRequest& one, MessageRequest& other) {
         std::array<std::size_t, 2> found{};
         return at.wait_some(Requests{&other, &one}, found) == 1;
       },
       true},
      {"Test", [](Messenger& at, MessageRequest& one, MessageRequest&) { return at.test(one); },
       false},
      {"TestAll",
       [](Messenger& at, MessageRequest& one, MessageRequest&) {
         return at.test_all(Requests{nullptr, &one});
       },
       false},
      {"TestAny",
       [](Messenger& at, MessageRequest& one, MessageRequest& other) {
         std::size_t index = 0;
         return at.test_any(Requests{&other, &one}, index) && index == 1;
       },
       false},
      {"TestSome",
       [](Messenger& at, MessageRequest& one, MessageRequest& other) {
         std::array<std::size_t, 2> found{};
         return at.test_some(Requests{&other, &one}, found) == 1;
       },
       false},
  };
  return all;
}

class WaitingForOneNeverMet : public Contact,
                              public ::testing::WithParamInterface<std::tuple<std::size_t, Death>> {
};

TEST_P(WaitingForOneNeverMet, NoticesThatItIsDead) {
  const Way& way = ways()[std::get<0>(GetParam())];
  job->kill(1, std::get<1>(GetParam()));
  Transfer& received = receive(0, 1, 8);
  Transfer& endless = receive(0, 2, 8);
  mpi::Messenger& messenger = way.blocks ? as(0) : at(0);
  const Nanoseconds took =
      until([&] { return way.ask(messenger, received.request(), endless.request()); });
  EXPECT_FALSE(received.request().active());
  EXPECT_EQ(received.result().failure, RequestFailure::kPeerLost);
  EXPECT_GE(took, kAWhile);
  EXPECT_LE(took, kAWhile + kDeadline + 100ms);
  EXPECT_TRUE(endless.request().active());
}

INSTANTIATE_TEST_SUITE_P(Ways, WaitingForOneNeverMet,
                         ::testing::Combine(::testing::Range<std::size_t>(0, 8),
                                            ::testing::Values(Death::kNoticed, Death::kSilent)),
                         [](const auto& shape) {
                           return ways()[std::get<0>(shape.param)].name +
                                  std::string(std::get<1>(shape.param) == Death::kNoticed
                                                  ? "Noticed"
                                                  : "Silent");
                         });

class Probing : public Contact, public ::testing::WithParamInterface<std::tuple<bool, bool>> {
 protected:
  bool matched() const { return std::get<0>(GetParam()); }
  bool blocks() const { return std::get<1>(GetParam()); }
  // The result of a probe for process 1: none yet, a message, or the failure.
  std::optional<RequestFailure> probe() {
    mpi::MessageResult envelope;
    mpi::MatchedMessage message;
    bool found = false;
    const mpi::ProbeArguments arguments{1, 1, kAnyTag};
    if (matched()) {
      EXPECT_EQ(blocks() ? as(0).mprobe(arguments, message) : at(0).improbe(arguments, message),
                CallError::kNone);
      envelope = message.envelope();
      found = static_cast<bool>(message);
    } else {
      EXPECT_EQ(
          blocks() ? as(0).probe(arguments, envelope) : at(0).iprobe(arguments, found, envelope),
          CallError::kNone);
      found = found || blocks();
    }
    if (envelope.failure != RequestFailure::kNone) return envelope.failure;
    return found ? std::optional(RequestFailure::kNone) : std::nullopt;
  }
  // Probes until there is a result.
  RequestFailure answer(Nanoseconds* took) {
    std::optional<RequestFailure> said;
    *took = until([&] { return (said = probe()).has_value(); });
    return said.value_or(RequestFailure::kNone);
  }
};

TEST_P(Probing, OfAProcessWithoutContactNoticesItsDeath) {
  for (const Death death : {Death::kNoticed, Death::kSilent}) {
    start();
    job->kill(1, death);
    Nanoseconds took{};
    EXPECT_EQ(answer(&took), RequestFailure::kPeerLost);
    EXPECT_GE(took, kAWhile);
    EXPECT_LE(took, kAWhile + kDeadline + 100ms);
  }
}

TEST_P(Probing, OfASilentProcessNoticesIt) {
  exchange(0, 1);
  exchange(1, 0);
  job->run(100ms);
  job->kill(1, Death::kSilent);
  Nanoseconds took{};
  EXPECT_EQ(answer(&took), RequestFailure::kPeerLost);
  EXPECT_LE(took, kDeadline + 100ms);
}

TEST_P(Probing, FindsTheMessageOfOneThatWasGreeted) {
  if (!blocks()) {
    until([&] {
      EXPECT_FALSE(probe().has_value());
      return session(0, 1) == PeerState::kOpen;
    });
    EXPECT_EQ(session(0, 1), PeerState::kOpen);
  }
  send(1, 0, 8);
  Nanoseconds took{};
  EXPECT_EQ(answer(&took), RequestFailure::kNone);
  EXPECT_LE(took, 100ms);
}

INSTANTIATE_TEST_SUITE_P(Probes, Probing, ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         [](const auto& shape) {
                           return std::string(std::get<0>(shape.param) ? "Matched" : "Plain") +
                                  (std::get<1>(shape.param) ? "Blocking" : "Asking");
                         });

TEST_F(Contact, ProbeWatchesNobodyWhoseMessageHasCome) {
  exchange(0, 1);
  exchange(1, 0);
  bool found = false;
  mpi::MessageResult envelope;
  EXPECT_EQ(at(0).iprobe({1, 1, 5}, found, envelope), CallError::kNone);
  EXPECT_FALSE(found);
  exchange(1, 0);
  job->run(100ms);
  job->kill(1, Death::kSilent);
  Transfer& any = receive(0, kAnySource, 8);
  job->run(5s);
  EXPECT_FALSE(ended(any));
}

TEST_F(Contact, ReceivesThatAreOnlyPostedConnectNobody) {
  exchange(2, 0);
  Transfer& posted = receive(0, 1, 8);
  for (int i = 0; i < 500; ++i) {
    job->run(10ms);
    at(0).progress();
  }
  EXPECT_EQ(session(0, 1), PeerState::kClosed);
  // Waits for others do not connect either, however long they are.
  Transfer& other = receive(0, 2, 8, {.tag = 6});
  EXPECT_GE(until([&] { return ended(other); }), 10s);
  EXPECT_EQ(session(0, 1), PeerState::kClosed);
  EXPECT_TRUE(arrived(send(2, 0, 8, {.tag = 6}), other));
  EXPECT_TRUE(arrived(send(1, 0, 8), posted));
}

TEST_F(Contact, ShortWaitsConnectNobody) {
  Transfer& received = receive(0, 1, 8);
  EXPECT_FALSE(ended(received));
  job->run(kAWhile - 50ms);
  EXPECT_FALSE(ended(received));
  EXPECT_EQ(session(0, 1), PeerState::kClosed);
}

TEST_F(Contact, AnySourceConnectsNobody) {
  Transfer& any = receive(0, kAnySource, 8);
  bool found = true;
  mpi::MessageResult envelope;
  job->kill(1, Death::kSilent);
  EXPECT_GE(until([&] {
              EXPECT_EQ(at(0).iprobe({kAnySource, 2, kAnyTag}, found, envelope), CallError::kNone);
              return ended(any) || found || envelope.failure != RequestFailure::kNone;
            }),
            10s);
  EXPECT_EQ(session(0, 1), PeerState::kClosed);
  EXPECT_EQ(session(0, 2), PeerState::kClosed);
  EXPECT_TRUE(arrived(send(2, 0, 8), any));
}

TEST_F(Contact, GreetingIsNoMessageAndNoCredit) {
  Transfer& received = receive(0, 1, 8);
  until([&] {
    EXPECT_FALSE(ended(received));
    return session(0, 1) == PeerState::kOpen;
  });
  const auto puts = [&] { return job->processes().process(0).counters().get(Counter::kPutsSent); };
  EXPECT_EQ(puts(), 1U);
  EXPECT_GE(until([&] { return ended(received); }), 10s);
  EXPECT_EQ(puts(), 1U);
  bool found = true;
  mpi::MessageResult envelope;
  EXPECT_EQ(at(1).iprobe({kAnySource, 1, kAnyTag}, found, envelope), CallError::kNone);
  EXPECT_FALSE(found);
  EXPECT_TRUE(arrived(send(1, 0, 8), received));
  EXPECT_EQ(job->processes().process(1).counters().drops(), 0U);
}

TEST_F(Contact, ReceivesThatHaveNoRoomInTheListAreWaitedForToo) {
  MessengerJobOptions options;
  options.messenger.most_receives = 1;
  start(options);
  Transfer& first = receive(0, 2, 8);
  Transfer& second = receive(0, 1, 8);
  job->kill(1, Death::kSilent);
  as(0).wait(second.request());
  EXPECT_EQ(second.result().failure, RequestFailure::kPeerLost);
  // The same holds for a receive posted when the peer is already lost.
  Transfer& third = receive(0, 1, 8);
  EXPECT_FALSE(ended(third));
  EXPECT_TRUE(arrived(send(2, 0, 8), first));
  EXPECT_TRUE(ended(third));
  EXPECT_EQ(third.result().failure, RequestFailure::kPeerLost);
}

// Its caller does not say what it waits for.
TEST_F(Contact, ACallThatTakesAnyCompletionWaitsForAllPostedReceives) {
  MessengerJobOptions options;
  options.messenger.list_completed = true;
  start(options);
  Transfer& received = receive(0, 1, 8);
  Transfer& alive = receive(0, 2, 8);
  job->kill(1, Death::kSilent);
  std::array<mpi::MessageRequest*, 4> completed{};
  const Nanoseconds took = until([&] { return at(0).take_completed(completed) > 0; });
  EXPECT_EQ(completed[0], &received.request());
  EXPECT_EQ(received.result().failure, RequestFailure::kPeerLost);
  EXPECT_GE(took, kAWhile);
  EXPECT_LE(took, kAWhile + kDeadline + 100ms);
  EXPECT_EQ(session(0, 2), PeerState::kOpen);
  send(2, 0, 8);
  until([&] { return at(0).take_completed(completed) > 0; });
  EXPECT_EQ(completed[0], &alive.request());
}

}  // namespace
}  // namespace lintel::testing
