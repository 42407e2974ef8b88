#pragma once
// SessionTest: one Session over a FakeTransport. The test acts as the peer: it writes frames and
// reads those that the session sent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
#include "transport/session/session_proof.h"

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
  static constexpr std::uint64_t kIncarnation = 1234;
  static constexpr Nonce kOtherNonce{std::byte{0xc0}, std::byte{0xff}, std::byte{0xee}};

  SessionTest() { start(); }

  void start(SessionOptions options = {}, std::size_t frame_bytes = 1024) {
    options.incarnation = options.incarnation == 0 ? kIncarnation : options.incarnation;
    session.reset();
    auto lower = std::make_unique<FakeTransport>(kSelf, frame_bytes);
    fake = lower.get();
    session = std::make_unique<Session>(std::move(lower), options);
    now = TimePoint{1'000'000'000};
    peer = *session->resolve(kOther);
    lower_peer = *fake->resolve(kOther);
    poll();
  }

  // Starts again with a job secret, which the peer has too.
  void start_with_secret(SessionOptions options = {}) {
    options.job_key = secret("of the job");
    start(options);
    key_flag = kProvedBySecret;
    peer_key = *options.job_key->key();
  }
  static std::shared_ptr<JobKey> secret(std::string_view text) {
    auto job_key = std::make_shared<JobKey>();
    job_key->give(std::as_bytes(std::span(text.data(), text.size())));
    return job_key;
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
    return proved_hello(introduction(epoch, incarnation, 0));
  }
  // A hello with that body, and the proof by the key that the peer has.
  Frame proved_hello(Bytes body, std::uint8_t version = kFrameVersion) const {
    auto said = decode<Introduction>(body.data());
    said.flags = key_flag;
    put_proof(said, key_flag == 0 ? Digest{} : prove_hello(peer_key, kSelf, {version, said}));
    encode(body.data(), said);
    return {.kind = FrameKind::kHello, .body = std::move(body), .version = version};
  }
  Frame welcome(const Bytes& hello_frame, std::uint32_t epoch = kOtherEpoch) const {
    return proved_welcome(
        hello_frame, introduction(epoch, kOtherIncarnation, introduction_of(hello_frame).epoch));
  }
  // The answer with that body to our hello, with its proof.
  Frame proved_welcome(const Bytes& hello_frame, Bytes body) const {
    const Introduction ours = introduction_of(hello_frame);
    auto said = decode<Introduction>(body.data());
    said.flags = key_flag;
    put_proof(said, prove_welcome(peer_key, fake->bound_to.bytes, {kFrameVersion, ours},
                                  {kFrameVersion, said}));
    encode(body.data(), said);
    return {.kind = FrameKind::kWelcome,
            .slot = ours.slot,
            .epoch = ours.epoch,
            .body = std::move(body)};
  }
  // What the peer that has sent `greeting` sends when it has got `welcome_frame`.
  Frame confirmation(const Frame& greeting, const Bytes& welcome_frame) const {
    const Introduction ours = introduction_of(welcome_frame);
    const auto theirs = decode<Introduction>(greeting.body.data());
    const Digest proof =
        prove_confirmation(ours.flags == 0 ? kOpenKey : peer_key, fake->bound_to.bytes,
                           {greeting.version, theirs}, {header_of(welcome_frame).version, ours});
    return {.kind = FrameKind::kConfirm,
            .slot = ours.slot,
            .epoch = ours.epoch,
            .body = Bytes(proof.begin(), proof.end())};
  }
  static void put_proof(Introduction& said, const Digest& proof) {
    std::memcpy(said.proof, proof.data(), sizeof said.proof);
  }
  // The peer says hello and confirms our welcome, which stays among the sent frames.
  void shake(const Frame& greeting) {
    receive(greeting);
    const auto answer = std::find_if(fake->sent.rbegin(), fake->sent.rend(), [](const auto& one) {
      return kind_of(one.frame) == FrameKind::kWelcome;
    });
    ASSERT_NE(answer, fake->sent.rend());
    receive(confirmation(greeting, answer->frame));
  }
  // The peer of the open session begins another one, as who has taken part in its first contact.
  void begin_again(std::uint32_t epoch = kOtherEpoch + 1) {
    const Digest old_key = peer_key;
    if (key_flag == 0) {
      peer_key =
          contact_key({kSelf, kIncarnation, our_nonce}, {kOther, kOtherIncarnation, kOtherNonce});
      key_flag = kProvedByContact;
    }
    shake(hello(epoch));
    if (key_flag == kProvedByContact) key_flag = 0;
    peer_key = old_key;
  }
  Frame refusal(const Bytes& hello_frame, RefuseReason reason, const char* provider = "other 2.0",
                std::uint8_t version = kFrameVersion) const {
    const Introduction ours = introduction_of(hello_frame);
    RefuseBody refusal{};
    refusal.echoed_epoch = ours.epoch;
    refusal.reason = static_cast<std::uint8_t>(reason);
    refusal.oldest_version = version;
    std::strncpy(refusal.provider, provider, sizeof refusal.provider - 1);
    std::memcpy(refusal.echoed_nonce, ours.nonce, sizeof refusal.echoed_nonce);
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
    std::copy(kOtherNonce.begin(), kOtherNonce.end(), std::begin(introduction.nonce));
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
    ASSERT_NO_FATAL_FAILURE(shake(hello()));
    const Introduction answer = introduction_of(take_sent());
    our_slot = answer.slot;
    our_epoch = answer.epoch;
    std::copy(std::begin(answer.nonce), std::end(answer.nonce), our_nonce.begin());
    ASSERT_EQ(session->state_of(peer), PeerState::kOpen);
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
  Nonce our_nonce{};
  // The key by which the peer proves itself, and its flag.
  Digest peer_key = kOpenKey;
  std::uint8_t key_flag = 0;
};

}  // namespace lintel::transport
