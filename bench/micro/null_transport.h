#pragma once
// NullTransport: accepts everything and sends nothing, so that only the engine is measured. Also
// the messages that the benchmarks give to the engine.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "portals/engine/wire/wire_codec.h"
#include "transport/transport.h"

namespace lintel::bench {

class NullTransport final : public transport::Transport {
 public:
  NullTransport() {
    attributes_.name = "null";
    attributes_.max_message_bytes = 65536;
    attributes_.max_write_bytes = 1U << 30;
    attributes_.knows_source = true;
  }
  const transport::TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return {NodeId(1), Pid(1)}; }
  Result<transport::PeerId> resolve(ProcessId) override { return transport::PeerId(0); }
  ProcessId name_of(transport::PeerId) const override { return {NodeId(2), Pid(2)}; }
  transport::MessageBuffer reserve(transport::PeerId, std::size_t) override {
    return {frame_.data(), frame_.size(), 0};
  }
  transport::PostStatus commit(transport::PeerId, const transport::MessageBuffer&,
                               std::size_t) override {
    return transport::PostStatus::kOk;
  }
  void abandon(transport::PeerId, const transport::MessageBuffer&) override {}
  void disconnect(transport::PeerId) override {}
  Result<transport::Registration> register_memory(transport::PeerId, std::span<std::byte>,
                                                  transport::Access) override {
    return transport::Registration{};
  }
  void deregister_memory(const transport::Registration&) override {}
  transport::PostStatus post_write(transport::PeerId, const transport::LocalMemory&,
                                   transport::RemoteMemory, transport::Immediate,
                                   transport::Context) override {
    return transport::PostStatus::kOk;
  }
  void watch(transport::PeerId, bool) override {}
  std::size_t poll(TimePoint, transport::Sink&) override { return 0; }
  TimePoint next_deadline() const override { return kNever; }
  int wait_fd() const override { return -1; }
  bool prepare_wait() override { return true; }

 private:
  transport::TransportAttributes attributes_;
  std::array<std::byte, 65536> frame_{};
};

inline constexpr std::uint32_t kPutPortal = 4;

// A put without ack from process (2, 2) to portal kPutPortal of process (1, 1).
inline std::vector<std::byte> put_message(std::uint8_t interface_kind, std::uint64_t match_bits,
                                          std::size_t length) {
  namespace wire = portals::wire;
  wire::Request request{};
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kPut), 0,
                    interface_kind, static_cast<std::uint32_t>(length)};
  request.initiator_nid = request.initiator_pid = 2;
  request.target_nid = request.target_pid = 1;
  request.user = 1000;
  request.portal_index = kPutPortal;
  request.match_bits = match_bits;
  request.length = length;
  request.md_handle = wire::kNoDescriptor;
  std::vector<std::byte> bytes(wire::fixed_size(request.header) + length);
  wire::encode(request, bytes.data());
  return bytes;
}

}  // namespace lintel::bench
