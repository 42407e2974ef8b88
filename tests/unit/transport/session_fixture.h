#pragma once
// SessionTest: one Session over a FakeTransport. The test acts as the peer: it writes frames and
// reads those that the session sent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/unit/transport/fake_transport.h"
#include "tests/unit/transport/recording_sink.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

using namespace std::chrono_literals;

// A frame of a peer before it is encoded. The defaults fit the session that SessionTest::open()
// makes.
struct Frame {
  FrameKind kind = FrameKind::kData;
  std::uint32_t slot = 0;
  std::uint32_t epoch = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledged = 0;
  Bytes body;
  std::uint8_t version = kFrameVersion;
  std::uint16_t magic = kFrameMagic;
  std::int32_t length_error = 0;

  Bytes bytes() const {
    Bytes out(sizeof(FrameHeader) + body.size());
    const auto length =
        static_cast<std::uint32_t>(static_cast<std::int64_t>(body.size()) + length_error);
    encode(out.data(), FrameHeader{magic, version, static_cast<std::uint8_t>(kind), slot, epoch,
                                   sequence, acknowledged, length});
    if (!body.empty()) std::memcpy(out.data() + sizeof(FrameHeader), body.data(), body.size());
    return out;
  }
};

inline Bytes records(std::initializer_list<std::string_view> messages) {
  Bytes out;
  for (const std::string_view message : messages) {
    const std::size_t begin = out.size();
    out.resize(begin + record_bytes(message.size()));
    encode(out.data() + begin, RecordHeader{static_cast<std::uint32_t>(message.size()), 0});
    std::memcpy(out.data() + begin + sizeof(RecordHeader), message.data(), message.size());
  }
  return out;
}

inline FrameHeader header_of(const Bytes& frame) { return decode<FrameHeader>(frame.data()); }
inline FrameKind kind_of(const Bytes& frame) {
  return static_cast<FrameKind>(header_of(frame).kind);
}
inline Introduction introduction_of(const Bytes& frame) {
  return decode<Introduction>(frame.data() + sizeof(FrameHeader));
}
inline std::vector<std::string> messages_of(const Bytes& frame) {
  std::vector<std::string> out;
  std::span<const std::byte> message;
  RecordReader reader{std::span<const std::byte>{frame}.subspan(sizeof(FrameHeader))};
  while (reader.next(message))
    out.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
  EXPECT_FALSE(reader.malformed());
  return out;
}

class SessionTest : public testing::Test {
 protected:
  static constexpr ProcessId kSelf{NodeId{0x7f000001}, Pid{100}};
  static constexpr ProcessId kOther{NodeId{0x7f000001}, Pid{200}};
  static constexpr std::uint32_t kOtherSlot = 5;
  static constexpr std::uint32_t kOtherEpoch = 77;
  static constexpr std::uint64_t kOtherIncarnation = 4711;

  SessionTest() { start(); }

  void start(SessionOptions options = {}, std::size_t frame_bytes = 1024) {
    options.incarnation = options.incarnation == 0 ? 1234 : options.incarnation;
    session.reset();
    auto lower = std::make_unique<FakeTransport>(kSelf, frame_bytes);
    fake = lower.get();
    session = std::make_unique<Session>(std::move(lower), options);
    now = TimePoint{1'000'000'000};
    peer = *session->resolve(kOther);
    lower_peer = *fake->resolve(kOther);
    poll();
  }

  std::size_t poll(Nanoseconds later = Nanoseconds(0)) {
    now = now + later;
    return session->poll(now, sink);
  }
  // Returns kWouldBlock when no buffer was available.
  PostStatus send(std::string_view message) { return send(peer, message); }
  PostStatus send(PeerId to, std::string_view message) {
    const MessageBuffer buffer = session->reserve(to, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return session->commit(to, buffer, message.size());
  }

  Frame hello(std::uint32_t epoch = kOtherEpoch,
              std::uint64_t incarnation = kOtherIncarnation) const {
    return {.kind = FrameKind::kHello, .body = introduction(epoch, incarnation, 0)};
  }
  Frame welcome(const Bytes& hello_frame, std::uint32_t epoch = kOtherEpoch) const {
    const Introduction ours = introduction_of(hello_frame);
    return {.kind = FrameKind::kWelcome,
            .slot = ours.slot,
            .epoch = ours.epoch,
            .body = introduction(epoch, kOtherIncarnation, ours.epoch)};
  }
  Frame refusal(const Bytes& hello_frame, RefuseReason reason, const char* provider = "other 2.0",
                std::uint8_t version = kFrameVersion) const {
    const Introduction ours = introduction_of(hello_frame);
    RefuseBody refusal{};
    refusal.echoed_epoch = ours.epoch;
    refusal.reason = static_cast<std::uint8_t>(reason);
    refusal.oldest_version = version;
    std::strncpy(refusal.provider, provider, sizeof refusal.provider - 1);
    Bytes body(sizeof refusal);
    encode(body.data(), refusal);
    return {.kind = FrameKind::kRefuse,
            .slot = ours.slot,
            .epoch = ours.epoch,
            .body = body,
            .version = version};
  }
  static Bytes introduction(std::uint32_t epoch, std::uint64_t incarnation, std::uint32_t echoed,
                            const char* provider = "fake 9.9",
                            std::uint8_t oldest = kOldestFrameVersion, ProcessId name = kOther) {
    Introduction introduction{};
    introduction.nid = name.nid.value;
    introduction.pid = name.pid.value;
    introduction.incarnation = incarnation;
    introduction.slot = kOtherSlot;
    introduction.epoch = epoch;
    introduction.echoed_epoch = echoed;
    introduction.oldest_version = oldest;
    std::strncpy(introduction.provider, provider, sizeof introduction.provider - 1);
    Bytes body(sizeof introduction);
    encode(body.data(), introduction);
    return body;
  }
  // A frame of the open session, addressed as our welcome or hello asked.
  Frame of_session(FrameKind kind, std::uint32_t sequence, std::uint32_t acknowledged,
                   Bytes body = {}) const {
    return {.kind = kind,
            .slot = our_slot,
            .epoch = our_epoch,
            .sequence = sequence,
            .acknowledged = acknowledged,
            .body = std::move(body)};
  }

  void arrives(const Frame& frame) { fake->arrives(frame.bytes()); }
  // Delivers the frame now.
  void receive(const Frame& frame) {
    arrives(frame);
    poll();
  }
  // Removes and returns the oldest frame that the session sent.
  Bytes take_sent() {
    if (fake->sent.empty()) {
      ADD_FAILURE() << "no frame was sent";
      return Frame{}.bytes();
    }
    Bytes frame = std::move(fake->sent.front().frame);
    fake->sent.pop_front();
    return frame;
  }
  // Removes all sent frames and returns their kinds.
  std::vector<FrameKind> take_sent_kinds() {
    std::vector<FrameKind> kinds;
    while (!fake->sent.empty()) kinds.push_back(kind_of(take_sent()));
    return kinds;
  }
  // Completes the sending of all frames.
  void all_left() {
    for (std::size_t i = 0; i < 300; ++i) fake->left(lower_peer);
    poll();
  }

  // Opens the session by a hello of the peer. Nothing is being sent afterwards.
  void open() {
    receive(hello());
    const Bytes answer = take_sent();
    ASSERT_EQ(kind_of(answer), FrameKind::kWelcome);
    our_slot = introduction_of(answer).slot;
    our_epoch = introduction_of(answer).epoch;
    all_left();
    sink.take();
  }

  FakeTransport* fake = nullptr;
  std::unique_ptr<Session> session;
  RecordingSink sink;
  TimePoint now{};
  PeerId peer;
  PeerId lower_peer;
  std::uint32_t our_slot = 0;
  std::uint32_t our_epoch = 0;
};

}  // namespace lintel::transport
