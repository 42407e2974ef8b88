// libFuzzer entry: strangers against a whole DirectTransport, on real sockets of loopback. The
// input is a list of commands: connections that come and go, either way, greetings and pieces,
// valid or not, cut anywhere; calls of the owner in between; and time that passes. Strangers know
// the key of the sessions, so they also resume connections that were lost. Checked besides memory:
// each write and placed message of the owner ends once, memory that was given back does not change,
// and in the end every frame is free.

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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
#include "transport/direct/resumption_proof.h"
#include "transport/direct/sockets.h"

namespace {

using namespace lintel;
using namespace lintel::transport;
using lintel::testing::Input;

constexpr std::size_t kStrangers = 6;
constexpr std::uint32_t kNames = 3;            // fewer than strangers: several claim the same name
constexpr std::uint8_t kOtherGreetings = 180;  // of smaller ones: connect requests
constexpr std::size_t kMemoryBytes = 4096;
constexpr Nanoseconds kTimeout = std::chrono::seconds(1);
constexpr ResumptionKey kKey{std::byte{1}};
constexpr ResumptionNonce kNonce{std::byte{2}};  // of all strangers

void require(bool holds) {
  if (!holds) std::abort();
}

// One socket that is connected to the transport, and the bytes that it has not sent yet. From the
// greetings that it has read: what the proofs of a resumption cover.
struct Stranger {
  FileDescriptor fd;
  Bytes pending;
  std::uint64_t peer_incarnation = 0;
  std::uint64_t peer_generation = 0;  // of its proof
  ResumptionNonce peer_nonce{};
  std::uint64_t peer_received = 0;
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
      if (i < kListeners) listeners_[i] = listener_of(name(i));
    }
    transport_->enable_placement();
  }

  void step(Input& input) {
    const std::uint8_t command = input.byte();
    Stranger& stranger = strangers_[input.byte() % kStrangers];
    const PeerId peer(command / 16U % kNames);
    switch (command % 16) {
      case 0: command < 128 ? connect(stranger) : accept(stranger, peer); break;
      case 1: greet(stranger, input); break;
      case 2: append(stranger.pending, input.bytes(input.byte())); break;
      case 3:
        if (command < 128) {
          append_message(stranger.pending, filled(input.byte() * 2U, 1), command / 16U % 4U);
        } else {
          append_acknowledgement(stranger.pending, input.byte() * 4U);
        }
        break;
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

  // At their addresses strangers accept the transport's connections. Nothing listens at others.
  static constexpr std::uint32_t kListeners = 2;

  // Of a process that a stranger may claim to be.
  static ProcessId name(std::uint32_t i) { return {NodeId(INADDR_LOOPBACK), Pid(3 + i)}; }
  // Not open if another program has the port.
  static FileDescriptor listener_of(ProcessId process) {
    FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    constexpr int kOn = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
    const sockaddr_in at = socket_address_of(process, kDefaultPortBase).value();
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
        ::listen(fd.get(), 16) != 0)
      fd.close();
    return fd;
  }
  void accept(Stranger& stranger, PeerId peer) {
    if (peer.value >= kListeners || !listeners_[peer.value].is_open()) return;
    stranger = {};
    stranger.fd =
        FileDescriptor(::accept4(listeners_[peer.value].get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

  void connect(Stranger& stranger) {
    stranger = {};
    stranger.fd = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = socket_address_of(transport_->self(), kDefaultPortBase).value();
    // No port is free now, if it fails.
    if (::connect(stranger.fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
      stranger = {};
  }
  // The first byte says as whom and how: with a name and an incarnation; few do not ask to connect.
  void greet(Stranger& stranger, Input& input) {
    const std::uint8_t who = input.byte();
    const std::uint8_t kind = who < kOtherGreetings ? 1U : (who - kOtherGreetings) / 6U;
    const std::uint8_t number = input.byte();
    const ProcessId self = transport_->self();
    const ProcessId from = name(who % kNames);
    const std::uint64_t incarnation = who / 3U % 2U;
    append_wire(stranger.pending,
                Greeting{kGreetingMagic, kStreamVersion, kind, 0, from.nid.value, from.pid.value,
                         self.nid.value, self.pid.value, incarnation, number});
    if (!has_resumption(kind)) return;
    append_wire(stranger.pending,
                resumption(stranger, static_cast<GreetingKind>(kind), from, incarnation, number));
  }
  // As the peer of that name would say it, if this much has arrived there.
  Resumption resumption(const Stranger& stranger, GreetingKind kind, ProcessId from,
                        std::uint64_t incarnation, std::uint64_t received) const {
    Resumption made{};
    std::memcpy(made.nonce, kNonce.data(), sizeof made.nonce);
    if (!stranger.fd.is_open()) return made;
    sockaddr_in own_end{};
    sockaddr_in peer_end{};
    addresses_of(stranger.fd.get(), own_end, peer_end);
    const std::uint64_t generation = received;  // greet() has both from one byte
    const ResumptionHalf own{from, incarnation, generation, own_end, kNonce, received};
    const ResumptionHalf peer{transport_->self(),       stranger.peer_incarnation,
                              stranger.peer_generation, peer_end,
                              stranger.peer_nonce,      stranger.peer_received};
    Digest proof{};
    if (kind == GreetingKind::kProof) proof = prove_request(kKey, own, peer);
    if (kind == GreetingKind::kResumed) proof = prove_resumed(kKey, peer, own);
    made.received = received;
    std::memcpy(made.proof, proof.data(), sizeof made.proof);
    return made;
  }
  static void send(Stranger& stranger, std::size_t bytes) {
    bytes = std::min(bytes, stranger.pending.size());
    if (!stranger.fd.is_open() || bytes == 0) return;
    const ssize_t sent =
        ::send(stranger.fd.get(), stranger.pending.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) stranger.pending.erase(stranger.pending.begin(), stranger.pending.begin() + sent);
  }
  static void read(Stranger& stranger) {
    std::array<std::byte, 4096> bytes;
    if (!stranger.fd.is_open()) return;
    const ssize_t got = ::recv(stranger.fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < static_cast<ssize_t>(sizeof(Greeting))) return;
    const auto greeting = decode<Greeting>(bytes.data());
    if (greeting.magic != kGreetingMagic) return;
    stranger.peer_incarnation = greeting.incarnation;
    if (!has_resumption(greeting.kind)) return;
    const auto resumption = decode<Resumption>(bytes.data() + sizeof greeting);
    const auto kind = static_cast<GreetingKind>(greeting.kind);
    if (kind == GreetingKind::kResume || kind == GreetingKind::kChallenge)
      std::memcpy(stranger.peer_nonce.data(), resumption.nonce, sizeof resumption.nonce);
    if (kind == GreetingKind::kProof) {
      stranger.peer_received = resumption.received;
      stranger.peer_generation = greeting.generation;
    }
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
    switch (how % 4) {
      case 0: transport_->disconnect(peer); break;
      case 1:
        if (how / 4 % 4 == 2) {
          transport_->allow_resumption(peer, kKey);
        } else {
          transport_->admit(peer, how / 4 % 4 == 3 ? ResumptionKey{} : kKey);
        }
        break;
      case 2: transport_->interrupt(peer); break;
      default:
        transport_->forget(peer);
        // The name may get the id of another that was forgotten before.
        for (std::uint32_t i = 0; i < kNames; ++i) static_cast<void>(transport_->resolve(name(i)));
    }
  }
  void poll(Nanoseconds later) {
    now_ = now_ + later;
    // As before a sleep: else most polls look at few sockets.
    static_cast<void>(transport_->prepare_wait());
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
  std::array<FileDescriptor, kListeners> listeners_;
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
  // No port stays in TIME_WAIT here, where the system allows it.
  const FileDescriptor most(::open("/proc/sys/net/ipv4/tcp_max_tw_buckets", O_WRONLY | O_CLOEXEC));
  if (most.is_open()) static_cast<void>(::write(most.get(), "0", 1) == 1);
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
