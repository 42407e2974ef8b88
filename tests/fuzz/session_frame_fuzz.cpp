// libFuzzer entry: frames of a hostile network into a Session. The input is a list of (command,
// length, bytes): arriving frames, whose address fields may be corrected so that they reach an open
// session, mixed with sends, polls and failures of the lower transport.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tests/fuzz/input.h"
#include "tests/unit/transport/fake_transport.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace {

using namespace lintel;
using namespace lintel::transport;
using lintel::testing::Input;

constexpr ProcessId kSelf{NodeId{1}, Pid{1}};
constexpr ProcessId kOther{NodeId{1}, Pid{2}};
constexpr std::size_t kPlacedFrame = 128;
constexpr std::byte kPayload[] = {std::byte{1}};

// Answers some messages and reads every byte that it is given.
class TouchingSink final : public Sink {
 public:
  Session* session = nullptr;
  unsigned touched = 0;

  void on_message(PeerId from, std::span<const std::byte> message) override {
    for (const std::byte b : message) touched += static_cast<unsigned>(b);
    if (message.size() % 3 != 0) return;
    const std::size_t bytes = message.size() / 2;
    if (const MessageBuffer buffer = session->reserve(from, bytes)) {
      std::memcpy(buffer.data, message.data(), bytes);
      session->commit(from, buffer, bytes);
    }
  }
  void on_placed_message(PeerId from, std::span<const std::byte> message,
                         const PlacedPayload& payload) override {
    on_message(from, message);
    touched += static_cast<unsigned>(payload.bytes.front());
  }
  void on_message_left(PeerId) override {}
  void on_write_done(Context, Error) override {}
  void on_immediate(PeerId, Immediate) override {}
  void on_peer_failed(PeerId peer, Error) override {
    if (peer.value % 2 == 0) session->reserve(peer, 1);
  }
};

Introduction introduction(std::uint32_t epoch) {
  Introduction introduction{};
  introduction.nid = kOther.nid.value;
  introduction.pid = kOther.pid.value;
  introduction.incarnation = 1 + epoch / 4;
  introduction.slot = 3;
  introduction.epoch = epoch;
  introduction.oldest_version = kOldestFrameVersion;
  std::memcpy(introduction.provider, "fake 1", 6);
  return introduction;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  auto lower = std::make_unique<FakeTransport>(kSelf, 512);
  FakeTransport& fake = *lower;
  Session session(std::move(lower), {.incarnation = 99, .window_frames = 4, .max_peers = 16});
  TouchingSink sink;
  sink.session = &session;
  const PeerId peer = *session.resolve(kOther);
  const PeerId below = *fake.resolve(kOther);
  TimePoint now{};
  std::uint32_t our_slot = 0;
  std::uint32_t our_epoch = 0;
  std::uint32_t next_epoch = 1;
  std::uint32_t sequence = 0;

  const auto poll = [&](Nanoseconds later) {
    now = now + later;
    session.poll(now, sink);
    // Reads the session's frames for their numbers, as a peer would.
    for (const FakeTransport::Sent& sent : fake.sent) {
      const auto header = decode<FrameHeader>(sent.frame.data());
      if (header.kind != static_cast<std::uint8_t>(FrameKind::kWelcome) &&
          header.kind != static_cast<std::uint8_t>(FrameKind::kHello))
        continue;
      const auto ours = decode<Introduction>(sent.frame.data() + sizeof(FrameHeader));
      our_slot = ours.slot;
      our_epoch = ours.epoch;
      if (header.kind == static_cast<std::uint8_t>(FrameKind::kWelcome)) sequence = 0;
    }
    fake.sent.clear();
  };

  while (!input.empty()) {
    const std::uint8_t command = input.byte();
    switch (command % 10) {
      case 0: fake.arrives(input.bytes(input.byte())); break;
      case 1:
      case 2: {  // a frame of any kind and body, correctly addressed
        Bytes frame(sizeof(FrameHeader));
        const std::uint8_t kind = input.byte();
        const auto skew = static_cast<std::uint32_t>(static_cast<std::int8_t>(input.byte()) / 32);
        const auto acknowledged = static_cast<std::uint32_t>(input.byte() % 8);
        const Bytes body = input.bytes(input.byte());
        if (kind % 8 == static_cast<std::uint8_t>(FrameKind::kData)) ++sequence;
        encode(frame.data(),
               FrameHeader{kFrameMagic, kFrameVersion, static_cast<std::uint8_t>(kind % 8),
                           our_slot, our_epoch, sequence + skew, acknowledged,
                           static_cast<std::uint32_t>(body.size())});
        frame.insert(frame.end(), body.begin(), body.end());
        const PeerId from = (command & 0x80) != 0 ? below : kNoPeer;
        if ((command & 0x40) != 0) {
          frame.resize((command & 0x20) != 0 ? frame.size() : kPlacedFrame);
          fake.arrives_placed(std::move(frame), kPayload, from);
        } else {
          fake.arrives(std::move(frame), from);
        }
        break;
      }
      case 3:
      case 4: {  // a valid hello or welcome
        Bytes frame(sizeof(FrameHeader) + sizeof(Introduction));
        Introduction said = introduction((command & 0x40) != 0 ? next_epoch : ++next_epoch);
        const bool hello = command % 10 == 3;
        if (!hello) said.echoed_epoch = our_epoch;
        encode(
            frame.data(),
            FrameHeader{kFrameMagic, kFrameVersion,
                        static_cast<std::uint8_t>(hello ? FrameKind::kHello : FrameKind::kWelcome),
                        hello ? 0 : our_slot, hello ? 0 : our_epoch, 0, 0, sizeof(Introduction)});
        encode(frame.data() + sizeof(FrameHeader), said);
        fake.arrives(std::move(frame));
        break;
      }
      case 5: {
        const std::size_t bytes = 2U * input.byte();
        if (bytes > session.attributes().max_message_bytes) break;
        const MessageBuffer buffer = session.reserve(peer, bytes);
        if (!buffer) break;
        std::memset(buffer.data, 1, bytes);
        session.commit(peer, buffer, bytes);
        break;
      }
      case 6: poll(std::chrono::milliseconds(input.byte() * 20)); break;
      case 7: fake.left(PeerId{static_cast<std::uint32_t>(input.byte() % 8)}); break;
      case 8: fake.fails(PeerId{static_cast<std::uint32_t>(input.byte() % 8)}); break;
      case 9: {
        const std::uint8_t choice = input.byte();
        fake.room = (choice & 1) != 0;
        fake.commit_answer = (choice & 6) == 2   ? PostStatus::kWouldBlock
                             : (choice & 6) == 4 ? PostStatus::kFailed
                                                 : PostStatus::kOk;
        session.watch(peer, true);
        if ((choice & 8) != 0) session.watch(peer, false);
        break;
      }
      default: break;
    }
    if ((command & 0x20) != 0) poll(Nanoseconds(1));
  }
  poll(Nanoseconds(1));
  std::string text;
  session.dump(text);
  text = session.describe(peer);
  session.next_deadline();
  return 0;
}
