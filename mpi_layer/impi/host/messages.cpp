#include "mpi_layer/impi/host/messages.h"

#include <algorithm>

#include "base/assert.h"

namespace lintel::mpi::impi {
namespace {

Packet packet_of(PacketType type, const Envelope& envelope, SendNumber number) {
  Packet packet;
  packet.type = type;
  packet.source = envelope.source;
  packet.destination = envelope.destination;
  packet.source_request = number;
  packet.message_length = envelope.length;
  packet.source_rank = envelope.source_rank;
  packet.tag = envelope.tag;
  packet.context = envelope.context;
  packet.count = envelope.count;
  packet.datatype = envelope.datatype;
  return packet;
}

// Goes back to where `to` came from, and names its request.
Packet answer(PacketType type, const ProcId& from, const ProcId& to, std::uint64_t source_request) {
  Packet packet;
  packet.type = type;
  packet.source = from;
  packet.destination = to;
  packet.source_request = source_request;
  return packet;
}

Envelope envelope_of(const Packet& packet) {
  return {packet.source,  packet.destination,    packet.source_rank, packet.tag,
          packet.context, packet.message_length, packet.count,       packet.datatype};
}

}  // namespace

SendNumber Messages::send(const Envelope& envelope, bool synchronous,
                          std::span<const std::byte> data) {
  LINTEL_ASSERT(data.size() == envelope.length);
  const SendNumber number = ++last_send_;
  const bool is_long = envelope.length > data_bytes_;
  Packet packet = packet_of(synchronous || is_long ? PacketType::kDatasync : PacketType::kData,
                            envelope, number);
  packet.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(envelope.length, data_bytes_));
  sender_.send(packet, data.first(packet.length));
  if (packet.type == PacketType::kData) return 0;
  sends_.emplace(number, Send{envelope, data, packet.length});
  return number;
}

void Messages::cancel(SendNumber number) {
  const auto found = sends_.find(number);
  LINTEL_ASSERT(found != sends_.end() && !found->second.cancelling);
  found->second.cancelling = true;
  const Envelope& envelope = found->second.envelope;
  sender_.send(answer(PacketType::kCancel, envelope.source, envelope.destination, number), {});
}

void Messages::accept(ArrivalNumber number) {
  const auto found = arrivals_.find(number);
  LINTEL_ASSERT(found != arrivals_.end() && !found->second.accepted);
  Arrival& arrival = found->second;
  arrival.accepted = true;
  const bool more = arrival.come < arrival.envelope.length;
  if (arrival.answered) {
    Packet syncack = answer(PacketType::kSyncack, arrival.envelope.destination,
                            arrival.envelope.source, arrival.source_request);
    if (more) syncack.destination_request = number;
    sender_.send(syncack, {});
  }
  if (!more) arrivals_.erase(found);
}

Error Messages::on_packet(const Packet& packet, std::span<const std::byte> data) {
  switch (packet.type) {
    case PacketType::kDatasync: return on_first(packet, data);
    case PacketType::kData:
      return packet.length == packet.message_length ? on_first(packet, data)
                                                    : on_rest(packet, data);
    case PacketType::kSyncack: return on_syncack(packet);
    case PacketType::kCancel: return on_cancel(packet);
    case PacketType::kCancelyes:
    case PacketType::kCancelno: return on_cancel_answer(packet);
    case PacketType::kProtoack:
    case PacketType::kFini: break;
  }
  return {};
}

Error Messages::on_first(const Packet& packet, std::span<const std::byte> data) {
  const ArrivalNumber number = ++last_arrival_;
  const bool answered = packet.type == PacketType::kDatasync;
  arrivals_.emplace(number,
                    Arrival{envelope_of(packet), packet.source_request, data.size(), answered});
  handler_.on_arrival(number, envelope_of(packet), data);
  return {};
}

// The arrival whose next part is in the packet.
Result<std::map<ArrivalNumber, Messages::Arrival>::iterator> Messages::continued_by(
    const Packet& packet) {
  const auto found = arrivals_.find(packet.destination_request);
  if (found == arrivals_.end() || !found->second.accepted ||
      found->second.envelope.source != packet.source ||
      found->second.envelope.destination != packet.destination) {
    return Error{Loss::kPeer, "IMPI packet", "it goes on with a message that was not accepted"};
  }
  const Arrival& arrival = found->second;
  if (packet.length == 0 || packet.length > arrival.envelope.length - arrival.come) {
    return Error{Loss::kPeer, "IMPI packet",
                 packet.length == 0 ? "it goes on with a message by no data"
                                    : "its message gets longer than its first packet said"};
  }
  return found;
}

std::span<std::byte> Messages::place_for(const Packet& packet) {
  if (packet.type != PacketType::kData || packet.length == packet.message_length) return {};
  const auto found = continued_by(packet);
  return found.ok() ? handler_.place_for((*found)->first, (*found)->second.come, packet.length)
                    : std::span<std::byte>();
}

Error Messages::on_rest(const Packet& packet, std::span<const std::byte> data) {
  const auto found = continued_by(packet);
  if (!found.ok()) return found.error();
  const ArrivalNumber number = (*found)->first;
  Arrival& arrival = (*found)->second;
  const std::uint64_t offset = arrival.come;
  arrival.come += data.size();
  if (arrival.come == arrival.envelope.length) arrivals_.erase(*found);
  handler_.on_more(number, offset, data);
  return {};
}

// The send that the packet answers, if it is under way between the same two processes.
Messages::Send* Messages::send_of(const Packet& answer) {
  const auto found = sends_.find(answer.source_request);
  if (found == sends_.end()) return nullptr;
  Send& send = found->second;
  return send.envelope.source == answer.destination && send.envelope.destination == answer.source
             ? &send
             : nullptr;
}

Error Messages::on_syncack(const Packet& packet) {
  Send* const send = send_of(packet);
  if (send == nullptr || send->accepted)
    return {Loss::kPeer, "IMPI packet", "SYNCACK names no send that waits for one"};
  if (send->left == send->envelope.length) {
    end_send(packet.source_request, SendEnd::kSent);
    return {};
  }
  send->accepted = true;
  send->destination_request = packet.destination_request;
  leaving_.push_back(packet.source_request);
  resume();
  return {};
}

// If several arrivals have the same request, the most recent one is cancelled.
Error Messages::on_cancel(const Packet& packet) {
  const auto newest =
      std::find_if(arrivals_.rbegin(), arrivals_.rend(), [&packet](const auto& entry) {
        const Arrival& arrival = entry.second;
        return !arrival.accepted && arrival.source_request == packet.source_request &&
               arrival.envelope.source == packet.source &&
               arrival.envelope.destination == packet.destination;
      });
  const ArrivalNumber number = newest != arrivals_.rend() ? newest->first : 0;
  const bool there = number != 0 && handler_.withdraw(number);
  if (there) arrivals_.erase(number);
  sender_.send(answer(there ? PacketType::kCancelyes : PacketType::kCancelno, packet.destination,
                      packet.source, packet.source_request),
               {});
  return {};
}

Error Messages::on_cancel_answer(const Packet& packet) {
  Send* const send = send_of(packet);
  // The send may have ended before this answer arrived. Then CANCELNO is expected and changes
  // nothing.
  if (send == nullptr && packet.type == PacketType::kCancelno) return {};
  if (send == nullptr || !send->cancelling)
    return {Loss::kPeer, "IMPI packet", "it answers a cancel that was not asked for"};
  send->cancelling = false;
  if (packet.type == PacketType::kCancelno) {
    handler_.on_cancel_refused(packet.source_request);
    return {};
  }
  if (send->accepted)
    return {Loss::kPeer, "IMPI packet", "CANCELYES for a message that was accepted"};
  end_send(packet.source_request, SendEnd::kCancelled);
  return {};
}

void Messages::end_send(SendNumber number, SendEnd end) {
  sends_.erase(number);
  handler_.on_send_end(number, end);
}

void Messages::forget(const ProcId& remote) {
  std::erase_if(leaving_, [&](SendNumber number) {
    return sends_.at(number).envelope.destination == remote;
  });
  std::erase_if(sends_,
                [&](const auto& entry) { return entry.second.envelope.destination == remote; });
  std::erase_if(arrivals_,
                [&](const auto& entry) { return entry.second.envelope.source == remote; });
}

// Long messages alternate packet by packet.
void Messages::resume() {
  for (std::size_t passed_over = 0; passed_over < leaving_.size();) {
    const SendNumber number = leaving_.front();
    leaving_.pop_front();
    Send& send = sends_.at(number);
    if (!sender_.takes_more(send.envelope.source, send.envelope.destination)) {
      leaving_.push_back(number);
      ++passed_over;
      continue;
    }
    passed_over = 0;
    Packet packet = packet_of(PacketType::kData, send.envelope, number);
    packet.destination_request = send.destination_request;
    packet.length = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(send.envelope.length - send.left, data_bytes_));
    sender_.send(packet, send.data.subspan(send.left, packet.length));
    send.left += packet.length;
    if (send.left < send.envelope.length) {
      leaving_.push_back(number);
    } else {
      end_send(number, SendEnd::kSent);
    }
  }
}

}  // namespace lintel::mpi::impi
