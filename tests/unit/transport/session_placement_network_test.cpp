// Placed messages between two sessions on the simulated network.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "tests/unit/transport/recording_sink.h"
#include "tests/unit/transport/session_fixture.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SessionPlacementOverTheNetwork : public testing::Test {
 protected:
  static constexpr PlacementKey kKey{7};
  struct Side {
    std::unique_ptr<Session> session;
    RecordingSink sink;
    PeerId other;
  };

  void start(SimulatedOptions options = {}, SessionOptions session_options = {}) {
    for (Side& side : sides) side = {};
    network = std::make_unique<SimulatedNetwork>(options);
    for (const std::uint32_t i : {0U, 1U}) {
      session_options.incarnation = i + 1;
      sides[i].session = std::make_unique<Session>(network->join(name(i)), session_options);
    }
    for (const std::uint32_t i : {0U, 1U}) sides[i].other = *sides[i].session->resolve(name(1 - i));
    a().session->enable_placement();
    b().session->enable_placement();
    while (send("hello") != PostStatus::kOk) ASSERT_TRUE(step());
    settle();
    a().sink.take();
    b().sink.take();
  }
  static ProcessId name(std::uint32_t i) { return {NodeId{0x7f000001}, Pid{i + 1}}; }
  Side& a() { return sides[0]; }
  Side& b() { return sides[1]; }

  PostStatus send(std::string_view message) { return send_placed(message, {}, {}); }
  // Sends from A to B. Without a payload it is an ordinary message.
  PostStatus send_placed(std::string_view message, std::string_view payload, Context context) {
    Session& session = *a().session;
    const MessageBuffer buffer = session.reserve(a().other, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    if (payload.empty()) return session.commit(a().other, buffer, message.size());
    const PostStatus status = session.commit_placed(
        a().other, buffer, message.size(), std::as_bytes(std::span(payload)), kKey, context);
    if (status != PostStatus::kOk) session.abandon(a().other, buffer);
    return status;
  }
  void poll() {
    for (Side& side : sides) {
      if (side.session) side.session->poll(network->now(), side.sink);
    }
  }
  bool step() {
    TimePoint next = network->next_event();
    for (const Side& side : sides) {
      if (side.session) next = std::min(next, side.session->next_deadline());
    }
    if (next == kNever) return false;
    network->run_until(next);
    poll();
    return true;
  }
  void settle() {
    while (step()) {
    }
  }

  std::unique_ptr<SimulatedNetwork> network;
  Side sides[2];
};

TEST_F(SessionPlacementOverTheNetwork, PlacedMessageLandsWhereItIsExpected) {
  start();
  std::string room(8, '.');
  ASSERT_TRUE(
      b().session->expect_placement(b().other, kKey, std::as_writable_bytes(std::span(room))));
  ASSERT_EQ(send_placed("m", "payload", Context{3}), PostStatus::kOk);
  settle();
  EXPECT_THAT(b().sink.log, ElementsAre("placed message 0 m payload"));
  EXPECT_EQ(room, "payload.");
  EXPECT_THAT(a().sink.log, testing::UnorderedElementsAre("left 0", "write_done 3"));
}

TEST_F(SessionPlacementOverTheNetwork, PlacedMessageThatNobodyExpectsComesWithItsSender) {
  start();
  ASSERT_EQ(send_placed("m", "payload", Context{3}), PostStatus::kOk);
  settle();
  EXPECT_THAT(b().sink.log, ElementsAre("placed message 0 m payload"));
}

TEST_F(SessionPlacementOverTheNetwork,
       PlacedMessagesAndMessagesComeOnceEachInTheOrderOfTheirCommitsWithTheirOwnPayloads) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    start({.seed = seed, .max_in_flight = 6}, {.window_frames = 8});
    std::string room(32, '.');
    const auto expect_next = [&] {
      b().session->expect_placement(b().other, kKey, std::as_writable_bytes(std::span(room)));
    };
    std::size_t landed = 0;
    b().sink.answer = [&](PeerId, std::span<const std::byte>) {
      if (!b().sink.payloads.empty() &&
          b().sink.payloads.back() == reinterpret_cast<std::byte*>(room.data()))
        ++landed;
      b().sink.payloads.clear();
      expect_next();
    };
    expect_next();
    std::vector<std::string> expected;
    std::vector<std::string> payloads(200);
    for (std::size_t i = 0; i < payloads.size();) {
      const std::string number = std::to_string(i);
      const bool placed_message = (i * seed) % 5 < 2;
      if (placed_message) payloads[i] = std::string(1 + i % 30, static_cast<char>('a' + i % 26));
      if (send_placed(number, payloads[i], Context{i}) != PostStatus::kOk) {
        ASSERT_TRUE(step());
        continue;
      }
      expected.push_back(placed_message ? "placed message 0 " + number + " " + payloads[i]
                                        : "message 0 " + number);
      ++i;
    }
    settle();
    EXPECT_EQ(b().sink.log, expected) << "seed " << seed;
    EXPECT_GT(landed, 0U) << "seed " << seed;
    EXPECT_THAT(b().sink.failures, IsEmpty());
    std::size_t placed_messages = 0;
    std::size_t ends = 0;
    for (const std::string& payload : payloads) placed_messages += payload.empty() ? 0 : 1;
    for (const std::string& line : a().sink.log) ends += line.starts_with("write_done") ? 1 : 0;
    EXPECT_EQ(ends, placed_messages) << "seed " << seed;
    EXPECT_EQ(a().sink.left, payloads.size() + 1) << "and the hello";
  }
}

TEST_F(SessionPlacementOverTheNetwork, DeathOfTheSenderEndsWhatIsExpectedOfIt) {
  for (const Death death : {Death::kSilent, Death::kNoticed}) {
    start();
    std::string room(8, '.');
    ASSERT_TRUE(
        b().session->expect_placement(b().other, kKey, std::as_writable_bytes(std::span(room))));
    b().session->watch(b().other, true);
    network->kill(name(0), death);
    a().session.reset();
    while (b().sink.failures.empty()) ASSERT_TRUE(step());
    EXPECT_EQ(b().session->withdraw_placement(b().other), Withdrawal::kNone);
    EXPECT_FALSE(
        b().session->expect_placement(b().other, kKey, std::as_writable_bytes(std::span(room))));
    EXPECT_EQ(room, "........");
  }
}

TEST_F(SessionPlacementOverTheNetwork, CloseWaitsForTheAcknowledgementOfPlacedMessages) {
  start();
  ASSERT_EQ(send_placed("m", "payload", Context{3}), PostStatus::kOk);
  while (!a().session->close(network->now())) ASSERT_TRUE(step());
  settle();
  EXPECT_THAT(b().sink.log,
              ElementsAre("placed message 0 m payload", "failed 0 the peer closed its endpoint"));
}

}  // namespace
}  // namespace lintel::transport
