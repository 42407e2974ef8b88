// libFuzzer entry: frames of a hostile network into a Session. The first byte says which secret the
// session and its peer have. The rest of the input is a list of (command, length, bytes): arriving
// frames, whose address fields may be corrected so that they reach an open session, and whose
// proofs may be right, mixed with sends, polls and failures of the lower transport.

#include <algorithm>
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
#include "transport/session/session_proof.h"

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
  introduction.nonce[0] = static_cast<std::byte>(epoch);
  return introduction;
}

constexpr std::byte kSecret[] = {std::byte{7}};

// What the peer knows of the handshakes so far, and the frames that it makes of it.
class KnowingPeer {
 public:
  explicit KnowingPeer(bool has_secret) {
    JobKey job;
    job.give(kSecret);
    if (has_secret) key_ = *job.key();
    flags_ = has_secret ? kProvedBySecret : 0;
  }

  // Reads a frame of the session.
  void see(const Bytes& frame) {
    const auto kind = static_cast<FrameKind>(decode<FrameHeader>(frame.data()).kind);
    if (kind != FrameKind::kWelcome && kind != FrameKind::kHello) return;
    const auto said = decode<Introduction>(frame.data() + sizeof(FrameHeader));
    slot = said.slot;
    epoch = said.epoch;
    if (kind == FrameKind::kHello) {
      their_hello_ = said;
      return;
    }
    their_welcome_ = said;
    sequence = 0;
    if (flags_ == 0 && said.flags == 0) {  // as if it were the first contact
      Nonce theirs;
      std::copy(std::begin(said.nonce), std::end(said.nonce), theirs.begin());
      Nonce ours;
      std::copy(std::begin(hello_.nonce), std::end(hello_.nonce), ours.begin());
      contact_ = contact_key({kSelf, said.incarnation, theirs}, {kOther, hello_.incarnation, ours});
    }
  }
  // `by_contact`: with the proof of who has had a first contact, if it has no secret.
  Bytes hello(bool another, bool by_contact) {
    hello_ = introduction(another ? ++next_epoch_ : next_epoch_);
    hello_.flags = by_contact && flags_ == 0 ? kProvedByContact : flags_;
    const Digest& key = hello_.flags == kProvedByContact ? contact_ : key_;
    put(hello_.proof, prove_hello(key, kSelf, {kFrameVersion, hello_}));
    return frame(FrameKind::kHello, 0, 0, hello_);
  }
  Bytes welcome(bool another) {
    Introduction said = introduction(another ? ++next_epoch_ : next_epoch_);
    said.echoed_epoch = their_hello_.epoch;
    said.flags = flags_;
    put(said.proof, prove_welcome(key_, {}, {kFrameVersion, their_hello_}, {kFrameVersion, said}));
    return frame(FrameKind::kWelcome, their_hello_.slot, their_hello_.epoch, said);
  }
  Bytes confirmation() const {
    ConfirmBody body{};
    const Digest& key = their_welcome_.flags == kProvedByContact ? contact_ : key_;
    put(body.proof,
        prove_confirmation(key, {}, {kFrameVersion, hello_}, {kFrameVersion, their_welcome_}));
    return frame(FrameKind::kConfirm, their_welcome_.slot, their_welcome_.epoch, body);
  }

  // The latest of the session's own numbers.
  std::uint32_t slot = 0;
  std::uint32_t epoch = 0;
  std::uint32_t sequence = 0;

 private:
  static void put(std::byte (&proof)[32], const Digest& digest) {
    std::copy(digest.begin(), digest.end(), proof);
  }
  template <class Body>
  static Bytes frame(FrameKind kind, std::uint32_t to_slot, std::uint32_t to_epoch,
                     const Body& body) {
    Bytes bytes(sizeof(FrameHeader) + sizeof body);
    encode(bytes.data(),
           FrameHeader{kFrameMagic, kFrameVersion, static_cast<std::uint8_t>(kind), to_slot,
                       to_epoch, 0, 0, static_cast<std::uint32_t>(sizeof body)});
    encode(bytes.data() + sizeof(FrameHeader), body);
    return bytes;
  }

  Digest key_ = kOpenKey;
  Digest contact_{};
  std::uint8_t flags_ = 0;
  std::uint32_t next_epoch_ = 1;
  Introduction hello_ = introduction(1);
  Introduction their_hello_{};
  Introduction their_welcome_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  auto lower = std::make_unique<FakeTransport>(kSelf, 512);
  FakeTransport& fake = *lower;
  const std::uint8_t secrets = input.byte();
  SessionOptions options;
  options.incarnation = 99;
  options.window_frames = 4;
  options.max_peers = 16;
  options.job_key = std::make_shared<JobKey>();
  if ((secrets & 1) != 0) options.job_key->give(kSecret);
  KnowingPeer knowing((secrets & 2) != 0);
  Session session(std::move(lower), options);
  TouchingSink sink;
  sink.session = &session;
  const PeerId peer = *session.resolve(kOther);
  const PeerId below = *fake.resolve(kOther);
  TimePoint now{};

  const auto poll = [&](Nanoseconds later) {
    now = now + later;
    session.poll(now, sink);
    // Reads the session's frames for their numbers, as a peer would.
    for (const FakeTransport::Sent& sent : fake.sent) knowing.see(sent.frame);
    fake.sent.clear();
  };

  while (!input.empty()) {
    const std::uint8_t command = input.byte();
    switch (command % 11) {
      case 0: fake.arrives(input.bytes(input.byte())); break;
      case 1:
      case 2: {  // a frame of any kind and body, correctly addressed
        Bytes frame(sizeof(FrameHeader));
        const std::uint8_t kind = input.byte();
        const auto skew = static_cast<std::uint32_t>(static_cast<std::int8_t>(input.byte()) / 32);
        const auto acknowledged = static_cast<std::uint32_t>(input.byte() % 8);
        const Bytes body = input.bytes(input.byte());
        if (kind % 9 == static_cast<std::uint8_t>(FrameKind::kData)) ++knowing.sequence;
        encode(frame.data(),
               FrameHeader{kFrameMagic, kFrameVersion, static_cast<std::uint8_t>(kind % 9),
                           knowing.slot, knowing.epoch, knowing.sequence + skew, acknowledged,
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
      case 3: fake.arrives(knowing.hello((command & 0x40) == 0, (command & 0x80) != 0)); break;
      case 4: fake.arrives(knowing.welcome((command & 0x40) == 0)); break;
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
        if ((choice & 0x70) == 0x70) options.job_key->give(kSecret);
        break;
      }
      case 10: fake.arrives(knowing.confirmation()); break;
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
