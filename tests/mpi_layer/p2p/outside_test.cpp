// Processes of other jobs: their messages match receives and probes like all others, and the
// gateway moves their bytes.

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "mpi_layer/p2p/gateway.h"
#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

using mpi::MatchedMessage;
using mpi::MessageResult;

constexpr std::int32_t kOutside = 2;  // the number after those of the job's own processes
constexpr std::int32_t kOther = 3;

// Records what the messenger has given to it, and provides texts as messages.
class RecordingGateway : public mpi::Gateway {
 public:
  bool send(const mpi::SendArguments& message, mpi::SendRequest& request) override {
    sent.emplace_back(message, &request);
    return ends_at_once;
  }
  void cancel(mpi::SendRequest& request) override { cancelled.push_back(&request); }
  void receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
               mpi::ReceiveRequest& request) override {
    const std::string& text = texts[{source, sequence}];
    kLock.is_held();
    std::memcpy(buffer.data(), text.data(), std::min(buffer.size(), text.size()));
    received.emplace_back(buffer.size(), &request);
    if (messenger != nullptr) messenger->outside().end_receive(request, RequestFailure::kNone);
  }
  void on_relay_end(mpi::SendRequest& request) override { relayed.push_back(&request); }
  void on_relay_end(mpi::ReceiveRequest& request) override { relayed.push_back(&request); }

  bool ends_at_once = true;
  mpi::Messenger* messenger = nullptr;  // set: receives end at once
  std::map<std::pair<std::int32_t, std::uint64_t>, std::string> texts;
  std::vector<std::pair<mpi::SendArguments, mpi::SendRequest*>> sent;
  std::vector<std::pair<std::size_t, mpi::ReceiveRequest*>> received;
  std::vector<mpi::SendRequest*> cancelled;
  std::vector<mpi::MessageRequest*> relayed;
};

class Outside : public P2pTest {
 protected:
  Outside() {
    MessengerJobOptions options;
    options.messenger.outside_headers = 16;
    start(options);
    EXPECT_EQ(at(0).add_outside(), CallError::kNone);
    EXPECT_EQ(at(0).add_outside(), CallError::kNone);
    outside(0).set_gateway(&gateway);
    gateway.messenger = &at(0);
  }
  // The only thread holds all locks.
  mpi::OutsideProcesses& outside(std::size_t rank) LINTEL_ASSERT_CAPABILITY(kLock) {
    return at(rank).outside();
  }
  bool withdraw(std::int32_t source, std::uint64_t sequence) {
    kLock.is_held();
    at(0).handle_events();
    return at(0).outside().withdraw(source, sequence);
  }
  // A message from process `source` of another job for rank 0.
  std::uint64_t deliver(std::int32_t source, std::int32_t tag, const std::string& text) {
    const std::uint64_t sequence = outside(0).deliver(source, 1, tag, text.size());
    gateway.texts[{source, sequence}] = text;
    return sequence;
  }
  static std::string text_of(const Transfer& received) {
    return {reinterpret_cast<const char*>(received.buffer.data()), received.buffer.size()};
  }

  RecordingGateway gateway;
};

TEST_F(Outside, NumbersFollowThoseOfThePeersAndNeedRoomForHeaders) {
  EXPECT_EQ(at(0).peers(), 4U);
  EXPECT_EQ(at(1).add_outside(), CallError::kNone);
  start();
  EXPECT_EQ(at(0).add_outside(), CallError::kProcess);
}

TEST_F(Outside, AMessageMeetsAReceiveThatWaits) {
  Transfer& received = receive(0, kOutside, 5);
  deliver(kOutside, 5, "hello");
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(text_of(received), "hello");
  EXPECT_EQ(received.result().source, kOutside);
  EXPECT_EQ(received.result().tag, 5);
  EXPECT_EQ(received.result().length, 5U);
  EXPECT_EQ(received.result().failure, RequestFailure::kNone);
}

TEST_F(Outside, AMessageWaitsForItsReceive) {
  deliver(kOutside, 5, "hello");
  job->settle();
  EXPECT_TRUE(gateway.received.empty());
  Transfer& received = receive(0, kOutside, 5);
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(text_of(received), "hello");
}

TEST_F(Outside, SourceTagAndContextDecide) {
  deliver(kOutside, 5, "a");
  EXPECT_FALSE(ended(receive(0, kOther, 1)));
  EXPECT_FALSE(ended(receive(0, kOutside, 1, {.tag = 6})));
  EXPECT_FALSE(ended(receive(0, kOutside, 1, {.context = 2})));
  EXPECT_FALSE(ended(receive(0, 1, 1)));
  EXPECT_TRUE(ended(receive(0, kOutside, 1, {.tag = kAnyTag})));
}

TEST_F(Outside, AnySourceTakesMessagesFromInsideAndOutsideInTheOrderOfTheirArrival) {
  deliver(kOther, 5, "one");
  Transfer& sent = send(1, 0, 3);
  job->settle();
  deliver(kOutside, 5, "two");
  Transfer& first = receive(0, kAnySource, 3);
  Transfer& second = receive(0, kAnySource, 3);
  Transfer& third = receive(0, kAnySource, 3);
  ASSERT_TRUE(ended(first));
  EXPECT_TRUE(arrived(sent, second));
  ASSERT_TRUE(ended(third));
  EXPECT_EQ(first.result().source, kOther);
  EXPECT_EQ(text_of(first), "one");
  EXPECT_EQ(third.result().source, kOutside);
  EXPECT_EQ(text_of(third), "two");
}

TEST_F(Outside, ALongerMessageIsTruncated) {
  Transfer& received = receive(0, kOutside, 2);
  deliver(kOutside, 5, "hello");
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(received.result().failure, RequestFailure::kTruncated);
  EXPECT_EQ(received.result().length, 5U);
  EXPECT_EQ(text_of(received), "he");
}

TEST_F(Outside, AReceiveIsCompleteOnlyWhenTheGatewaySaysSo) {
  gateway.messenger = nullptr;
  Transfer& received = receive(0, kOutside, 5);
  deliver(kOutside, 5, "hello");
  EXPECT_FALSE(ended(received));
  ASSERT_EQ(gateway.received.size(), 1U);
  EXPECT_EQ(gateway.received[0], std::pair(std::size_t{5}, &received.as_receive()));
  outside(0).end_receive(received.as_receive(), RequestFailure::kNone);
  EXPECT_TRUE(ended(received));
}

TEST_F(Outside, ProbesSeeIt) {
  bool found = false;
  MessageResult envelope;
  deliver(kOutside, 8, "hello");
  EXPECT_EQ(at(0).iprobe({kAnySource, 1, kAnyTag}, found, envelope), CallError::kNone);
  ASSERT_TRUE(found);
  EXPECT_EQ(envelope.source, kOutside);
  EXPECT_EQ(envelope.tag, 8);
  EXPECT_EQ(envelope.length, 5U);
}

TEST_F(Outside, AMatchedProbeTakesItAndItCannotBeWithdrawn) {
  const std::uint64_t sequence = deliver(kOutside, 5, "hello");
  MatchedMessage message;
  EXPECT_EQ(at(0).improbe({kOutside, 1, 5}, message), CallError::kNone);
  ASSERT_TRUE(message);
  EXPECT_FALSE(withdraw(kOutside, sequence));
  Transfer& received = this->message(0, 5);
  EXPECT_EQ(at(0).receive_matched(message, received.buffer.data(), 5, received.as_receive()),
            CallError::kNone);
  ASSERT_TRUE(ended(received));
  EXPECT_EQ(text_of(received), "hello");
}

TEST_F(Outside, WhatNobodyHasReceivedMayBeWithdrawn) {
  deliver(kOutside, 5, "first");
  const std::uint64_t second = deliver(kOutside, 5, "second");
  EXPECT_TRUE(withdraw(kOutside, second));
  EXPECT_FALSE(withdraw(kOutside, second));
  EXPECT_TRUE(ended(receive(0, kOutside, 6)));
  EXPECT_FALSE(ended(receive(0, kOutside, 6)));
}

TEST_F(Outside, WhatHasMetItsReceiveMayNot) {
  gateway.messenger = nullptr;
  Transfer& received = receive(0, kOutside, 5);
  const std::uint64_t sequence = deliver(kOutside, 5, "hello");
  EXPECT_FALSE(withdraw(kOutside, sequence));
  outside(0).end_receive(received.as_receive(), RequestFailure::kNone);
  EXPECT_TRUE(ended(received));
}

TEST_F(Outside, MessagesBeyondItsShareAreNotDelivered) {
  for (std::uint64_t i = 1; i <= 8; ++i) EXPECT_EQ(deliver(kOutside, 5, "x"), i);
  EXPECT_EQ(deliver(kOutside, 5, "x"), 0U);
  EXPECT_EQ(deliver(kOther, 5, "x"), 1U);
  EXPECT_TRUE(ended(receive(0, kOutside, 1)));
  EXPECT_EQ(deliver(kOutside, 5, "x"), 9U);
  EXPECT_EQ(deliver(kOutside, 5, "x"), 0U);
  EXPECT_TRUE(withdraw(kOutside, 9));
  EXPECT_EQ(deliver(kOutside, 5, "x"), 10U);
  MatchedMessage message;
  EXPECT_EQ(at(0).improbe({kOutside, 1, 5}, message), CallError::kNone);
  EXPECT_EQ(deliver(kOutside, 5, "x"), 11U);
}

TEST_F(Outside, MessagesThatWaitTakeNoRoomFromThoseOfTheJob) {
  constexpr std::uint32_t kHeaders = 4;
  MessengerJobOptions options;
  options.messenger.outside_headers = 16;
  options.messenger.unexpected_headers = options.messenger.least_headers = kHeaders;
  outside(0).set_gateway(nullptr);
  start(options);
  EXPECT_EQ(at(0).add_outside(), CallError::kNone);
  outside(0).set_gateway(&gateway);
  gateway.messenger = &at(0);
  while (deliver(kOutside, 5, "x") != 0) {
  }
  std::vector<Transfer*> sent;
  for (std::uint32_t i = 0; i < 3 * kHeaders; ++i) sent.push_back(&send(1, 0, 8));
  job->settle();
  for (Transfer* one : sent) EXPECT_TRUE(arrived(*one, receive(0, 1, 8)));
}

TEST_F(Outside, SendsGoToTheGateway) {
  Transfer& sent = send(0, kOutside, 3000, {.tag = 9, .context = 4});
  EXPECT_TRUE(ended(sent));
  ASSERT_EQ(gateway.sent.size(), 1U);
  const mpi::SendArguments& message = gateway.sent[0].first;
  EXPECT_EQ(message.buffer, sent.buffer.data());
  EXPECT_EQ(message.length, 3000U);
  EXPECT_EQ(message.destination, kOutside);
  EXPECT_EQ(message.context, 4U);
  EXPECT_EQ(message.tag, 9);
  EXPECT_EQ(message.mode, SendMode::kStandard);
}

TEST_F(Outside, ASendEndsWhenTheGatewaySaysSo) {
  gateway.ends_at_once = false;
  Transfer& sent = send(0, kOutside, 8, {.mode = SendMode::kSynchronous});
  EXPECT_FALSE(ended(sent));
  EXPECT_EQ(gateway.sent[0].first.mode, SendMode::kSynchronous);
  outside(0).end_send(sent.as_send(), RequestFailure::kNone, false);
  EXPECT_TRUE(ended(sent));
  EXPECT_FALSE(sent.result().cancelled);
}

TEST_F(Outside, ABufferedSendIsCompleteAtOnceAndGoesOnWithACopy) {
  gateway.ends_at_once = false;
  Transfer& sent = send(0, kOutside, 8, {.mode = SendMode::kBuffered});
  EXPECT_TRUE(ended(sent));
  ASSERT_EQ(gateway.sent.size(), 1U);
  EXPECT_NE(gateway.sent[0].first.buffer, sent.buffer.data());
  EXPECT_EQ(std::memcmp(gateway.sent[0].first.buffer, sent.buffer.data(), 8), 0);
  outside(0).end_send(*gateway.sent[0].second, RequestFailure::kNone, false);
}

TEST_F(Outside, ACancelledSendEndsAsTheGatewayFindsOut) {
  gateway.ends_at_once = false;
  Transfer& back = send(0, kOutside, 8);
  Transfer& gone = send(0, kOutside, 8);
  at(0).cancel(back.request());
  at(0).cancel(gone.request());
  EXPECT_EQ(gateway.cancelled, (std::vector{&back.as_send(), &gone.as_send()}));
  outside(0).end_send(back.as_send(), RequestFailure::kNone, true);
  outside(0).refuse_cancel(gone.as_send());
  outside(0).end_send(gone.as_send(), RequestFailure::kNone, false);
  EXPECT_TRUE(ended(back));
  EXPECT_TRUE(back.result().cancelled);
  EXPECT_TRUE(ended(gone));
  EXPECT_FALSE(gone.result().cancelled);
}

TEST_F(Outside, WhatIsUnderWayEndsWithTheMessenger) {
  gateway.ends_at_once = false;
  Transfer& sent = send(0, kOutside, 8);
  Transfer& received = receive(0, kOutside, 8);
  job->close(0);
  EXPECT_EQ(sent.result().failure, RequestFailure::kClosed);
  EXPECT_EQ(received.result().failure, RequestFailure::kClosed);
}

TEST_F(Outside, WhatTheGatewayRelaysIsGivenBackToItAndToNobodyElse) {
  RecordingGateway far;
  outside(1).set_gateway(&far);
  Transfer& sent = message(0, 3000);
  Transfer& received = message(1, 3000);
  outside(1).relay(mpi::ReceiveArguments{received.buffer.data(), 3000, 0, 7, 0},
                   received.as_receive());
  outside(0).relay(mpi::SendArguments{sent.buffer.data(), 3000, 1, 7, 0, SendMode::kStandard},
                   sent.as_send());
  job->settle();
  EXPECT_EQ(gateway.relayed, std::vector{&sent.request()});
  EXPECT_EQ(far.relayed, std::vector{&received.request()});
  EXPECT_TRUE(same(sent, received));
  outside(1).set_gateway(nullptr);
}

}  // namespace
}  // namespace lintel::testing
