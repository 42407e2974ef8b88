// A process of a later Lintel that does not understand the frames of this one: it declines every
// hello, in its own version. Prints "at ADDRESS pid PID", then runs until it is killed.

#include <poll.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <span>

#include "transport/fabric/fabric_transport.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {
namespace {

constexpr std::uint8_t kNewerVersion = kFrameVersion + 1;

class NewerPeer final : public Sink {
 public:
  explicit NewerPeer(Transport& network) : network_(network) {}

  [[noreturn]] void run() {
    while (true) {
      network_.poll(monotonic_now(), *this);
      while (!hellos_.empty() && decline(hellos_.front())) hellos_.pop_front();
      ::poll(nullptr, 0, 1);
    }
  }

 private:
  void on_message(PeerId, std::span<const std::byte> frame) override {
    if (frame.size() < sizeof(FrameHeader) + sizeof(Introduction)) return;
    if (decode<FrameHeader>(frame.data()).kind != static_cast<std::uint8_t>(FrameKind::kHello))
      return;
    hellos_.push_back(decode<Introduction>(frame.data() + sizeof(FrameHeader)));
  }
  void on_message_left(PeerId) override {}
  void on_write_done(Context, Error) override {}
  void on_immediate(PeerId, Immediate) override {}
  void on_peer_failed(PeerId, Error) override {}

  // Returns false if there is no room or no connection yet.
  bool decline(const Introduction& hello) {
    const Result<PeerId> peer = network_.resolve({NodeId(hello.nid), Pid(hello.pid)});
    if (!peer) return true;
    const MessageBuffer buffer = network_.reserve(*peer, sizeof(FrameHeader) + sizeof(RefuseBody));
    if (!buffer) return false;
    encode(buffer.data,
           FrameHeader{kFrameMagic, kNewerVersion, static_cast<std::uint8_t>(FrameKind::kRefuse),
                       hello.slot, hello.epoch, 0, 0, sizeof(RefuseBody)});
    RefuseBody refusal{};
    refusal.echoed_epoch = hello.epoch;
    refusal.reason = static_cast<std::uint8_t>(RefuseReason::kVersion);
    refusal.oldest_version = kNewerVersion;
    std::strncpy(refusal.provider, network_.attributes().name.c_str(), sizeof refusal.provider - 1);
    std::memcpy(refusal.echoed_nonce, hello.nonce, sizeof refusal.echoed_nonce);
    encode(buffer.data + sizeof(FrameHeader), refusal);
    const PostStatus status =
        network_.commit(*peer, buffer, sizeof(FrameHeader) + sizeof(RefuseBody));
    if (status != PostStatus::kOk) network_.abandon(*peer, buffer);
    return status != PostStatus::kWouldBlock;
  }

  Transport& network_;
  std::deque<Introduction> hellos_;
};

}  // namespace
}  // namespace lintel::transport

int main() {
  using namespace lintel::transport;
  NetworkOptions options;
  options.name = "net";
  auto network = FabricTransport::open(options);
  if (!network) {
    std::fprintf(stderr, "%s: %s\n", network.error().call(), network.error().reason());
    return 1;
  }
  std::printf("at %s pid %u\n", options.interface_address.c_str(),
              static_cast<unsigned>((*network)->self().pid.value));
  std::fflush(stdout);
  NewerPeer(**network).run();
}
