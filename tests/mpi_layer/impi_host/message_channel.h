#pragma once
// MessageChannel: Messages over one Channel, as in a job of two hosts where one process has the
// connection.

#include <algorithm>
#include <vector>

#include "mpi_layer/impi/host/channel.h"
#include "mpi_layer/impi/host/messages.h"

namespace lintel::testing {

class MessageChannel final : private mpi::impi::PacketSender, private mpi::impi::Channel::Receiver {
 public:
  // how far long messages may be encoded ahead of what is written
  static constexpr std::size_t kAhead = std::size_t{256} << 10;

  MessageChannel(const mpi::impi::ChannelLimits& limits,
                 const std::vector<mpi::impi::ProcId>& local,
                 const std::vector<mpi::impi::ProcId>& remote,
                 mpi::impi::Messages::MessageHandler& handler)
      : channel_(limits, local, remote, *this), messages_(limits.data_bytes, *this, handler) {}

  mpi::impi::Channel& channel() { return channel_; }
  mpi::impi::Messages& messages() { return messages_; }

  Error receive(std::span<const std::byte> bytes) {
    const Error error = channel_.receive(bytes);
    if (error.ok()) messages_.resume();
    return error;
  }
  // The same for bytes that may be read directly into the channel's room.
  Error read(std::span<const std::byte> bytes) {
    const std::span<std::byte> room = channel_.room();
    const auto first = bytes.first(std::min(bytes.size(), room.size()));
    std::copy(first.begin(), first.end(), room.begin());
    const Error error = first.empty() ? Error() : channel_.filled(first.size());
    return error.ok() ? receive(bytes.subspan(first.size())) : error;
  }
  void written(std::size_t bytes) {
    channel_.written(bytes);
    messages_.resume();
  }

 private:
  void send(const mpi::impi::Packet& packet, std::span<const std::byte> data) override {
    channel_.send(packet, data);
  }
  bool takes_more(const mpi::impi::ProcId& source, const mpi::impi::ProcId& destination) override {
    return channel_.unwritten_bytes() < kAhead && channel_.may_send(source, destination);
  }
  Error on_packet(const mpi::impi::Packet& packet, std::span<const std::byte> data) override {
    return messages_.on_packet(packet, data);
  }
  std::span<std::byte> place_for(const mpi::impi::Packet& packet) override {
    return messages_.place_for(packet);
  }

  mpi::impi::Channel channel_;
  mpi::impi::Messages messages_;
};

}  // namespace lintel::testing
