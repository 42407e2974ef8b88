// libFuzzer entry: strangers against a whole DirectTransport, on real sockets of loopback. The
// input is a list of commands: connections that come and go, greetings and pieces, valid or not,
// cut anywhere; calls of the owner in between; and time that passes. Checked besides memory: each
// write and placed message of the owner ends once, memory that was given back does not change, and
// in the end every frame is free.

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/fuzz/input.h"
#include "tests/unit/direct/stream_bytes.h"
#include "transport/address/address.h"
#include "transport/direct/direct_transport.h"

namespace {

using namespace lintel;
using namespace lintel::transport;
using lintel::testing::Input;

constexpr std::size_t kStrangers = 6;
constexpr std::uint32_t kNames = 3;  // fewer than strangers: several claim the same name
constexpr std::size_t kMemoryBytes = 4096;
constexpr Nanoseconds kTimeout = std::chrono::seconds(1);

void require(bool holds) {
  if (!holds) std::abort();
}

// One socket that is connected to the transport, and the bytes that it has not sent yet.
struct Stranger {
  FileDescriptor fd;
  Bytes pending;
};

NetworkOptions small() {
  NetworkOptions options;
  options.send_frames = 4;
  options.max_writes = 4;
  options.max_message_bytes = 512;
  options.connect_timeout = options.output_timeout = kTimeout;
  return options;
}

class DirectFuzz final : public Sink {
 public:
  explicit DirectFuzz(std::unique_ptr<DirectTransport> transport)
      : transport_(std::move(transport)) {
    for (std::uint32_t i = 0; i < kNames; ++i) {
      const PeerId peer = transport_->resolve(name(i)).value();
      require(peer.value == i);
    }
    transport_->enable_placement();
  }

  void step(Input& input) {
    const std::uint8_t command = input.byte();
    Stranger& stranger = strangers_[input.byte() % kStrangers];
    const PeerId peer(command / 16U % kNames);
    switch (command % 16) {
      case 0: connect(stranger); break;
      case 1: greet(stranger, input); break;
      case 2: append(stranger.pending, input.bytes(input.byte())); break;
      case 3: append_message(stranger.pending, filled(input.byte() * 2U, 1)); break;
      case 4:
        append_write(stranger.pending, {key(input), input.byte() * 16U}, Immediate(command),
                     filled(1 + input.byte() * 16U, command));
        break;
      case 5:
        append_placed(stranger.pending, PlacementKey(command), filled(input.byte() % 129U, 1),
                      filled(1 + input.byte() * 8U, command));
        break;
      case 6: send(stranger, input.byte() * 32U); break;
      case 7: stranger = {}; break;
      case 8: read(stranger); break;
      case 9: post_message(peer, 1U + input.byte()); break;
      case 10: post_placed(peer); break;
      case 11: post_write(peer); break;
      case 12: use_memory(peer, input.byte()); break;
      case 13: expect(peer, PlacementKey(input.byte())); break;
      case 14: end(peer, input.byte()); break;
      default: poll(input.byte() * std::chrono::milliseconds(10)); break;
    }
    if (command % 16 < 9) poll(Nanoseconds(0));
  }

  void finish() {
    if (registered_) use_memory(PeerId(0), 1);
    // By a reset, which leaves no connection in TIME_WAIT: the ports of the system are few.
    for (Stranger& stranger : strangers_) {
      constexpr linger kAtOnce{1, 0};
      if (stranger.fd.is_open())
        ::setsockopt(stranger.fd.get(), SOL_SOCKET, SO_LINGER, &kAtOnce, sizeof kAtOnce);
      stranger = {};
    }
    poll(Nanoseconds(0));
    for (std::uint32_t i = 0; i < kNames; ++i) transport_->disconnect(PeerId(i));
    poll(Nanoseconds(0));
    require(ended_ == posted_);
    require(transport_->close(now_));
    require(returned_ == Bytes(kMemoryBytes, kReturned));
  }

 private:
  static constexpr std::byte kReturned{0xee};

  // Of a process that a stranger may claim to be. Nothing listens there.
  static ProcessId name(std::uint32_t i) { return {NodeId(INADDR_LOOPBACK), Pid(3 + i)}; }

  void connect(Stranger& stranger) {
    stranger = {};
    stranger.fd = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = socket_address_of(transport_->self(), kDefaultPortBase).value();
    require(::connect(stranger.fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  void greet(Stranger& stranger, Input& input) {
    const std::uint8_t who = input.byte();
    const ProcessId self = transport_->self();
    const ProcessId from = name(who % kNames);
    const Greeting greeting{
        kGreetingMagic,
        kStreamVersion,
        static_cast<std::uint8_t>(who < 250 ? GreetingKind::kConnect : GreetingKind::kSimultaneous),
        0,
        from.nid.value,
        from.pid.value,
        self.nid.value,
        self.pid.value,
        who / 3U % 2U,
        input.byte()};
    append_wire(stranger.pending, greeting);
  }
  static void send(Stranger& stranger, std::size_t bytes) {
    bytes = std::min(bytes, stranger.pending.size());
    if (!stranger.fd.is_open() || bytes == 0) return;
    const ssize_t sent =
        ::send(stranger.fd.get(), stranger.pending.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) stranger.pending.erase(stranger.pending.begin(), stranger.pending.begin() + sent);
  }
  static void read(const Stranger& stranger) {
    std::array<std::byte, 4096> bytes;
    if (stranger.fd.is_open())
      static_cast<void>(::recv(stranger.fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT));
  }
  // That of a registration, or a guess.
  std::uint64_t key(Input& input) {
    const std::uint8_t which = input.byte();
    return which % 2 == 0 && registered_ ? registered_->key : which;
  }

  void post_message(PeerId peer, std::size_t bytes) {
    const MessageBuffer buffer = transport_->reserve(peer, bytes);
    if (!buffer) return;
    std::fill_n(buffer.data, bytes, std::byte{1});
    if (transport_->commit(peer, buffer, bytes) != PostStatus::kOk)
      transport_->abandon(peer, buffer);
  }
  void post_placed(PeerId peer) {
    const MessageBuffer buffer = transport_->reserve(peer, 8);
    if (!buffer) return;
    std::fill_n(buffer.data, 8, std::byte{1});
    if (transport_->commit_placed(peer, buffer, 8, source_, PlacementKey{1}, Context(posted_)) ==
        PostStatus::kOk) {
      ++posted_;
    } else {
      transport_->abandon(peer, buffer);
    }
  }
  void post_write(PeerId peer) {
    if (transport_->post_write(peer, {source_.data(), source_.size(), {}}, {1, 0}, Immediate(1),
                               Context(posted_)) == PostStatus::kOk)
      ++posted_;
  }
  // Registers memory for the peer, or gives back what is registered.
  void use_memory(PeerId peer, std::uint8_t how) {
    if (registered_) {
      transport_->deregister_memory(*registered_);
      registered_.reset();
      std::fill(returned_.begin(), returned_.end(), kReturned);
    } else if (how % 2 == 0) {
      registered_ = transport_->register_memory(peer, returned_, Access::kWriteTarget).value();
    }
  }
  void expect(PeerId peer, PlacementKey key) {
    if (!transport_->expect_placement(peer, key, expected_[peer.value]))
      static_cast<void>(transport_->withdraw_placement(peer));
  }
  void end(PeerId peer, std::uint8_t how) {
    switch (how % 3) {
      case 0: transport_->disconnect(peer); break;
      case 1: transport_->admit(peer, {}); break;
      default:
        transport_->forget(peer);
        // The name may get the id of another that was forgotten before.
        for (std::uint32_t i = 0; i < kNames; ++i) static_cast<void>(transport_->resolve(name(i)));
    }
  }
  void poll(Nanoseconds later) {
    now_ = now_ + later;
    transport_->poll(now_, *this);
  }

  void on_message(PeerId from, std::span<const std::byte> message) override {
    touch(message);
    if (message.size() % 64 == 3) transport_->disconnect(from);
  }
  void on_placed_message(PeerId from, std::span<const std::byte> message,
                         const PlacedPayload& payload) override {
    touch(message);
    touch(payload.bytes);
    if (message.size() % 64 == 3) transport_->disconnect(from);
  }
  void on_message_left(PeerId) override {}
  void on_write_done(Context, Error) override { ++ended_; }
  void on_immediate(PeerId from, Immediate) override {
    require(from != kNoPeer);
    touch(returned_);
  }
  void on_peer_failed(PeerId, Error) override {}
  void touch(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) touched_ += static_cast<unsigned>(b);
  }

  Bytes source_ = Bytes(1 << 16, std::byte{1});
  Bytes returned_ = Bytes(kMemoryBytes, kReturned);  // registered, or the owner's
  std::array<Bytes, kNames> expected_{Bytes(512), Bytes(512), Bytes(512)};
  std::optional<Registration> registered_;
  std::array<Stranger, kStrangers> strangers_;
  std::uint64_t posted_ = 0;
  std::uint64_t ended_ = 0;
  unsigned touched_ = 0;
  TimePoint now_{1'000'000'000};
  std::unique_ptr<DirectTransport> transport_;  // ends first
};

}  // namespace

// In a network of its own where the system allows it: thousands of connections a second leave ports
// in TIME_WAIT, which other programs need.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return 0;
  const FileDescriptor any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  require(::ioctl(any.get(), SIOCSIFFLAGS, &loopback) == 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto opened = DirectTransport::open(small());
  if (!opened) return -1;  // no port is free now; the input says nothing
  Input input(data, size);
  DirectFuzz fuzz(std::move(opened).value());
  while (!input.empty()) fuzz.step(input);
  fuzz.finish();
  return 0;
}
