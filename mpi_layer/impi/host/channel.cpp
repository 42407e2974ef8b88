#include "mpi_layer/impi/host/channel.h"

#include <cstring>

#include "base/assert.h"

namespace lintel::mpi::impi {

Channel::Channel(const ChannelLimits& limits, const std::vector<ProcId>& local,
                 const std::vector<ProcId>& remote, Receiver& receiver)
    : data_bytes_(limits.data_bytes),
      receiver_(receiver),
      reader_(
          limits.data_bytes,
          [this](const Packet& packet, std::span<const std::byte> data) {
            return on_packet(packet, data);
          },
          [this](const Packet& packet) { return place_for(packet); }),
      flow_(limits.ackmark, limits.hiwater, local, remote) {
  LINTEL_ASSERT(limits.data_bytes >= 1);
}

bool Channel::may_send(const ProcId& source, const ProcId& destination) {
  return flow_.may_send(flow_.outgoing(source, destination));
}

void Channel::check(const Packet& packet, std::span<const std::byte> data) const {
  LINTEL_ASSERT(is_flow_controlled(packet.type) && !finished_ && data.size() == packet.length &&
                data.size() <= data_bytes_);
}

void Channel::send(Packet packet, std::span<const std::byte> data) {
  check(packet, data);
  FlowControl::ProcessPair& pair = flow_.outgoing(packet.source, packet.destination);
  if (flow_.may_send(pair)) {
    flow_.count_sent(pair);
    frames_.add(frame_of(packet, data));
  } else {
    flow_.hold(pair, frame_of(packet, data));
  }
}

bool Channel::send_at_once(Packet packet, std::span<const std::byte> data,
                           std::span<std::byte, kHeaderBytes> header) {
  if (unwritten_bytes() > 0 || !broken_.ok() || !may_send(packet.source, packet.destination)) {
    send(packet, data);
    return false;
  }
  check(packet, data);
  flow_.count_sent(flow_.outgoing(packet.source, packet.destination));
  packet.sequence = ++sequence_;
  encode(packet, header);
  return true;
}

void Channel::wrote(std::span<const std::byte, kHeaderBytes> header,
                    std::span<const std::byte> data, std::size_t bytes) {
  LINTEL_ASSERT(unwritten_bytes() == 0 && bytes <= header.size() + data.size());
  if (bytes == header.size() + data.size()) return;
  FrameQueue::Frame frame(header.begin(), header.end());
  frame.insert(frame.end(), data.begin(), data.end());
  frames_.add(std::move(frame));
  if (bytes == 0) return;
  next_bytes();  // makes it the current frame, which nothing overtakes
  written(bytes);
}

void Channel::finish() {
  LINTEL_ASSERT(!finished_);
  finished_ = true;
  queue_fini_if_due();
}

// FINI waits for the packets that flow control still holds back.
void Channel::queue_fini_if_due() {
  if (!finished_ || fini_queued_ || blocked_packets() > 0) return;
  Packet fini;
  fini.type = PacketType::kFini;
  frames_.add(frame_of(fini, {}));
  fini_queued_ = true;
}

Error Channel::receive(std::span<const std::byte> bytes) {
  if (broken_.ok()) broken_ = reader_.take(bytes);
  return broken_;
}

Error Channel::filled(std::size_t bytes) {
  if (broken_.ok()) broken_ = reader_.filled(bytes);
  return broken_;
}

Error Channel::end_of_stream() const {
  if (peer_finished_ && reader_.between_packets()) return {};
  return {Loss::kPeer, "IMPI channel",
          "the other host has closed its connection before it said FINI"};
}

Error Channel::on_packet(const Packet& packet, std::span<const std::byte> data) {
  // After FINI the peer sends only PROTOACK, for packets that are still on their way to it.
  if (peer_finished_ && packet.type != PacketType::kProtoack)
    return {Loss::kPeer, "IMPI channel", "the other host sends packets after it said FINI"};
  if (packet.type == PacketType::kFini) {
    peer_finished_ = true;
    return {};
  }
  FlowControl::ProcessPair* pair = nullptr;
  if (const Error error = flow_.find_incoming(packet, pair); !error.ok()) return error;
  if (packet.type == PacketType::kProtoack) {
    const Error error = flow_.acknowledged(
        *pair, [this](FrameQueue::Frame frame) { frames_.add(std::move(frame)); });
    if (error.ok()) queue_fini_if_due();
    return error;
  }
  if (flow_.count_received(*pair)) {
    Packet answer;
    answer.type = PacketType::kProtoack;
    answer.source = packet.destination;
    answer.destination = packet.source;
    frames_.add_urgent(frame_of(answer, {}));
  }
  return receiver_.on_packet(packet, data);
}

// Returns no place for a packet that on_packet() will refuse, so that none of its data reach the
// receiver.
std::span<std::byte> Channel::place_for(const Packet& packet) {
  return !peer_finished_ && flow_.is_incoming(packet) ? receiver_.place_for(packet)
                                                      : std::span<std::byte>();
}

FrameQueue::Frame Channel::frame_of(Packet packet, std::span<const std::byte> data) {
  packet.sequence = ++sequence_;
  FrameQueue::Frame frame(kHeaderBytes + data.size());
  encode(packet, std::span<std::byte, kHeaderBytes>(frame.data(), kHeaderBytes));
  if (!data.empty()) std::memcpy(frame.data() + kHeaderBytes, data.data(), data.size());
  return frame;
}

void Channel::dump(std::string& out) const { flow_.dump(out); }

}  // namespace lintel::mpi::impi
