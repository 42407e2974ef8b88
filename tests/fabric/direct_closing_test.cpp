// The end of sessions over direct transports whose connections are lost meanwhile: what was sent
// before it, and the goodbye, arrive once, and nobody reports a loss.
#include <algorithm>
#include <cstring>

#include "tests/fabric/cutting_sockets.h"
#include "tests/fabric/direct_sessions.h"
#include "tests/fabric/raw_caller.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {
namespace {

constexpr const char* kGoodbye = "the peer closed its endpoint";
constexpr std::uint32_t kMessages = 3;

class DirectClosing : public DirectSessions, public testing::TestWithParam<CutEnd> {
 protected:
  void TearDown() override { cuts = {}; }
  // One turn of each process. Those that close end when they may.
  void turn() {
    for (const std::size_t i : {0U, 1U}) {
      Node& node = sides[i].node;
      if (node.transport == nullptr) continue;
      node.poll();
      if (!closes_[i] || node.seen.message_count < 1 + kMessages ||
          !node.transport->close(monotonic_now()))
        continue;
      EXPECT_EQ(sides[i].session().counters().messages_unacknowledged, 0U);
      node.transport.reset();
    }
  }
  // That it closes, or that its peer has.
  bool has_ended(std::size_t i) const {
    const Node& node = sides[i].node;
    return closes_[i] ? node.transport == nullptr : !node.seen.failures.empty();
  }
  // The last messages, and the end. The cuts begin with it.
  void end(bool both, std::vector<std::size_t> distances) {
    cuts = {};
    open_both();
    if (HasFatalFailure()) return;
    cuts.end = GetParam();
    cuts.distances = std::move(distances);
    for (std::uint32_t number = 1; number <= kMessages; ++number) {
      for (const std::size_t i : {0U, 1U}) send(i, number);
    }
    closes_ = {true, both};
    const TimePoint limit = monotonic_now() + kTimeout;
    while (!has_ended(0) || !has_ended(1)) {
      ASSERT_LT(monotonic_now(), limit) << "the end is not reached";
      turn();
    }
    expect_all_well();
  }
  void expect_all_well() {
    for (const SessionSide& side : sides) {
      for (const auto& [peer, error] : side.node.seen.failures)
        EXPECT_STREQ(error.reason(), kGoodbye);
      ASSERT_EQ(side.node.seen.messages.size(), 1 + kMessages);
      for (std::uint32_t number = 0; number <= kMessages; ++number)
        EXPECT_EQ(side.node.seen.messages[number], message(number));
    }
  }

 private:
  std::array<bool, 2> closes_{};
};

// Until the end comes before the cut.
TEST_P(DirectClosing, ACutAfterAnyByteOfTheEndLosesNothing) {
  for (const bool both : {false, true}) {
    std::size_t distance = 0;
    do {
      SCOPED_TRACE((both ? "both close, byte " : "one closes, byte ") + std::to_string(distance));
      end(both, {distance++});
      ASSERT_FALSE(HasFailure());
    } while (cuts.made > 0);
    EXPECT_GT(distance, 200U) << "the test saw what it is about";
  }
}

// Also those that take the place of the first.
TEST_P(DirectClosing, CutsAtRandomPlacesOfTheEndLoseNothing) {
  std::size_t made = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    end(seed % 2 == 0, random_distances(seed, 400));
    ASSERT_FALSE(HasFailure());
    made += cuts.made;
  }
  EXPECT_GT(made, 200U) << "the test saw what it is about";
}

// It has got a welcome, with which it could begin a session and resume its connection.
TEST(DirectClosingWithAStranger, ACallerThatProvesNothingIsNotWaitedFor) {
  SessionSide side = open_session(options_for(DirectTransport::kName), 11);
  RawCaller caller(side.node);
  caller.send(caller.greeting());
  ASSERT_EQ(caller.answer(side.node), GreetingKind::kAccept);
  std::array<std::byte, sizeof(FrameHeader) + sizeof(Introduction)> hello;
  encode(hello.data(),
         FrameHeader{kFrameMagic, kFrameVersion, static_cast<std::uint8_t>(FrameKind::kHello), 0, 0,
                     0, 0, sizeof(Introduction)});
  Introduction introduction{};
  introduction.nid = caller.self().nid.value;
  introduction.pid = caller.self().pid.value;
  introduction.incarnation = introduction.slot = introduction.epoch = 7;
  introduction.oldest_version = kFrameVersion;
  const std::string provider =
      DirectTransport::kName + std::string(" ") + std::to_string(kStreamVersion) + ".0";
  std::memcpy(introduction.provider, provider.data(), provider.size());
  encode(hello.data() + sizeof(FrameHeader), introduction);
  caller.send_message(hello);
  ASSERT_TRUE(until({&side.node}, [&] { return side.session().counters().frames_sent == 1; }))
      << "the welcome";
  EXPECT_TRUE(until({&side.node}, [&, polls = 0]() mutable {
    return side.session().close(monotonic_now()) || ++polls > 10;
  }));
  EXPECT_TRUE(side.session().close(monotonic_now()));
}

INSTANTIATE_TEST_SUITE_P(End, DirectClosing, all_cut_ends(), cut_test_name);

}  // namespace
}  // namespace lintel::transport
