#include "mpi_layer/impi/gateway/packet_relay.h"

#include <algorithm>
#include <utility>

#include "mpi_layer/p2p/gateway.h"

namespace lintel::mpi::impi {
namespace {

// The number of posted receives: so many packets can arrive before the first is handled.
constexpr std::size_t kReceives = 8;
constexpr std::size_t kSpareSends = 8;
constexpr std::int32_t kTag = 0;

}  // namespace

PacketRelay::PacketRelay(Messenger& messenger, std::int32_t other, std::uint32_t data_bytes,
                         RelayEvents events)
    : messenger_(messenger), other_(other), events_(std::move(events)) {
  for (std::size_t i = 0; i < kReceives; ++i) {
    RelayedReceive& packet = receives_.emplace_back();
    packet.relay = this;
    packet.bytes.resize(kHeaderBytes + std::size_t{data_bytes});
    post(packet);
  }
}

void PacketRelay::post(RelayedReceive& packet) {
  packet.landed = false;
  outside().relay(
      ReceiveArguments{packet.bytes.data(), packet.bytes.size(), other_, kRelayContext, kTag},
      packet);
}

void PacketRelay::send(const Packet& packet, std::span<const std::byte> data) {
  if (broken_) return;
  if (spare_.empty()) spare_.emplace_back();
  sends_.splice(sends_.end(), spare_, spare_.begin());
  RelayedSend& carrier = sends_.back();
  carrier.relay = this;
  carrier.bytes.resize(kHeaderBytes);
  encode(packet, std::span<std::byte, kHeaderBytes>(carrier.bytes.data(), kHeaderBytes));
  carrier.bytes.insert(carrier.bytes.end(), data.begin(), data.end());
  backlog_ += carrier.bytes.size();
  outside().relay(SendArguments{carrier.bytes.data(), carrier.bytes.size(), other_, kRelayContext,
                                kTag, SendMode::kStandard},
                  carrier);
}

void PacketRelay::on_end(SendRequest& request) {
  const auto& packet = static_cast<RelayedSend&>(request);
  packet.relay->on_left(packet);
}

void PacketRelay::on_end(ReceiveRequest& request) {
  auto& packet = static_cast<RelayedReceive&>(request);
  packet.landed = true;
  packet.relay->on_landed();
}

// Handling a packet may complete further receives. The outer call handles those too, so that the
// order is kept.
void PacketRelay::on_landed() {
  if (std::exchange(taking_, true)) return;
  while (!broken_ && receives_.front().landed) {
    RelayedReceive& packet = receives_.front();
    const MessageResult& result = packet.result();
    const Error error =
        result.failure == RequestFailure::kNone
            ? take(std::span(packet.bytes).first(result.length))
            : Error{Loss::kPeer, "relay of IMPI packets", "the other process is lost"};
    if (!error.ok()) return break_off(error);
    post(packet);
    receives_.splice(receives_.end(), receives_, receives_.begin());
  }
  taking_ = false;
}

// Both ends are Lintel's, but bytes of another process are validated nevertheless.
Error PacketRelay::take(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes)
    return {Loss::kPeer, "relay of IMPI packets", "one is shorter than its header"};
  const Packet packet = decode(bytes.first<kHeaderBytes>());
  const std::span<const std::byte> data = bytes.subspan(kHeaderBytes);
  const bool sound = packet.type <= PacketType::kCancelno &&
                     (carries_data(packet.type) ? packet.length == data.size() : data.empty());
  if (!sound)
    return {Loss::kPeer, "relay of IMPI packets", "one has another length than its header says"};
  return events_.on_packet(packet, data);
}

void PacketRelay::on_left(const RelayedSend& packet) {
  backlog_ -= packet.bytes.size();
  const bool lost = packet.result().failure != RequestFailure::kNone;
  const auto at = std::ranges::find_if(
      sends_, [&packet](const RelayedSend& other) { return &other == &packet; });
  spare_.splice(spare_.end(), sends_, at);
  if (spare_.size() > kSpareSends) spare_.pop_front();
  if (lost) return break_off({Loss::kPeer, "relay of IMPI packets", "the other process is lost"});
  events_.on_left();
}

void PacketRelay::break_off(const Error& error) {
  if (!std::exchange(broken_, true) && !ending_) events_.on_broken(error);
}

}  // namespace lintel::mpi::impi
