#include "mpi_layer/impi/host/channel.h"

#include <cstring>

#include "base/assert.h"

namespace lintel::mpi::impi {
namespace {

std::map<ProcId, std::size_t> places(const std::vector<ProcId>& processes) {
  std::map<ProcId, std::size_t> places;
  for (const ProcId& process : processes) places.emplace(process, places.size());
  LINTEL_ASSERT(places.size() == processes.size());
  return places;
}

}  // namespace

Channel::Channel(const ChannelLimits& limits, const std::vector<ProcId>& local,
                 const std::vector<ProcId>& remote, Receiver& receiver)
    : limits_(limits),
      local_(places(local)),
      remote_(places(remote)),
      receiver_(receiver),
      reader_(
          limits.data_bytes,
          [this](const Packet& packet, std::span<const std::byte> data) {
            return on_packet(packet, data);
          },
          [this](const Packet& packet) { return place_for(packet); }) {
  LINTEL_ASSERT(limits.data_bytes >= 1 && limits.ackmark >= 1 && limits.ackmark <= limits.hiwater);
}

Channel::ProcessPair& Channel::outgoing_pair(const ProcId& source, const ProcId& destination) {
  const auto local = local_.find(source);
  const auto remote = remote_.find(destination);
  LINTEL_ASSERT(local != local_.end() && remote != remote_.end());
  return pairs_[{local->second, remote->second}];
}

bool Channel::may_send(const ProcId& source, const ProcId& destination) {
  return outgoing_pair(source, destination).sent < limits_.hiwater;
}

void Channel::check(const Packet& packet, std::span<const std::byte> data) const {
  LINTEL_ASSERT(is_flow_controlled(packet.type) && !finished_ && data.size() == packet.length &&
                data.size() <= limits_.data_bytes);
}

void Channel::send(Packet packet, std::span<const std::byte> data) {
  check(packet, data);
  ProcessPair& pair = outgoing_pair(packet.source, packet.destination);
  if (pair.sent < limits_.hiwater) {
    ++pair.sent;
    queue(ready_, frame_of(packet, data));
  } else {
    pair.waiting.push_back(frame_of(packet, data));
    ++blocked_packets_;
  }
}

bool Channel::send_at_once(Packet packet, std::span<const std::byte> data,
                           std::span<std::byte, kHeaderBytes> header) {
  if (unwritten_bytes_ > 0 || !broken_.ok() || !may_send(packet.source, packet.destination)) {
    send(packet, data);
    return false;
  }
  check(packet, data);
  ++outgoing_pair(packet.source, packet.destination).sent;
  packet.sequence = ++sequence_;
  encode(packet, header);
  return true;
}

void Channel::wrote(std::span<const std::byte, kHeaderBytes> header,
                    std::span<const std::byte> data, std::size_t bytes) {
  LINTEL_ASSERT(unwritten_bytes_ == 0 && bytes <= header.size() + data.size());
  if (bytes == header.size() + data.size()) return;
  Frame frame(header.begin(), header.end());
  frame.insert(frame.end(), data.begin(), data.end());
  queue(ready_, std::move(frame));
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
  if (!finished_ || fini_queued_ || blocked_packets_ > 0) return;
  Packet fini;
  fini.type = PacketType::kFini;
  queue(ready_, frame_of(fini, {}));
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
  const auto local = local_.find(packet.destination);
  const auto remote = remote_.find(packet.source);
  if (local == local_.end())
    return {Loss::kPeer, "IMPI channel", "a packet is for a process that this host does not have"};
  if (remote == remote_.end())
    return {Loss::kPeer, "IMPI channel",
            "a packet is from a process that the other host does not have"};
  ProcessPair& pair = pairs_[{local->second, remote->second}];
  if (packet.type == PacketType::kProtoack) return on_protoack(pair);
  count_received(pair, packet);
  return receiver_.on_packet(packet, data);
}

// Returns no place for a packet that on_packet() will refuse, so that none of its data reach the
// receiver.
std::span<std::byte> Channel::place_for(const Packet& packet) {
  const bool is_known =
      !peer_finished_ && local_.contains(packet.destination) && remote_.contains(packet.source);
  return is_known ? receiver_.place_for(packet) : std::span<std::byte>();
}

Error Channel::on_protoack(ProcessPair& pair) {
  if (pair.sent < limits_.ackmark)
    return {Loss::kPeer, "IMPI channel", "PROTOACK takes back more packets than were sent"};
  pair.sent -= limits_.ackmark;
  for (; pair.sent < limits_.hiwater && !pair.waiting.empty(); ++pair.sent, --blocked_packets_) {
    queue(ready_, std::move(pair.waiting.front()));
    pair.waiting.pop_front();
  }
  queue_fini_if_due();
  return {};
}

void Channel::count_received(ProcessPair& pair, const Packet& packet) {
  if (++pair.received < limits_.ackmark) return;
  pair.received = 0;
  Packet answer;
  answer.type = PacketType::kProtoack;
  answer.source = packet.destination;
  answer.destination = packet.source;
  queue(urgent_, frame_of(answer, {}));
}

Channel::Frame Channel::frame_of(Packet packet, std::span<const std::byte> data) {
  packet.sequence = ++sequence_;
  Frame frame(kHeaderBytes + data.size());
  encode(packet, std::span<std::byte, kHeaderBytes>(frame.data(), kHeaderBytes));
  if (!data.empty()) std::memcpy(frame.data() + kHeaderBytes, data.data(), data.size());
  return frame;
}

void Channel::queue(std::deque<Frame>& frames, Frame frame) {
  unwritten_bytes_ += frame.size();
  frames.push_back(std::move(frame));
}

std::span<const std::byte> Channel::next_bytes() {
  if (!broken_.ok()) return {};
  for (std::deque<Frame>* frames : {&urgent_, &ready_}) {
    if (!current_.empty()) break;
    if (frames->empty()) continue;
    current_ = std::move(frames->front());
    frames->pop_front();
  }
  return std::span<const std::byte>(current_).subspan(current_written_);
}

void Channel::written(std::size_t bytes) {
  LINTEL_ASSERT(bytes <= current_.size() - current_written_);
  unwritten_bytes_ -= bytes;
  current_written_ += bytes;
  if (current_written_ < current_.size()) return;
  current_.clear();
  current_written_ = 0;
}

void Channel::dump(std::string& out) const {
  for (const auto& [name, pair] : pairs_) {
    out += "impi pair " + std::to_string(name.first) + ":" + std::to_string(name.second) +
           " sent " + std::to_string(pair.sent) + " received " + std::to_string(pair.received) +
           " waiting " + std::to_string(pair.waiting.size()) + "\n";
  }
}

}  // namespace lintel::mpi::impi
