#include "mpi_layer/p2p/probes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace lintel::mpi {
namespace {

const MessageResult kNobody{kProcNull, kAnyTag, 0, RequestFailure::kNone, false};

// The length of the whole message: at least that of the data that came with it, whatever the header
// says.
std::uint64_t length_of(const portals::Event& arrival) {
  const DataHeader header = decode_message(arrival.header_data);
  if (header.kind == PacketKind::kData) return arrival.requested_length;
  return std::max(header.length, arrival.requested_length);
}

}  // namespace

portals::UnexpectedMessage* Probes::find(const ProbeArguments& arguments) {
  const Peer* const peer = peers_.at(arguments.source);
  const portals::MatchCriteria wanted =
      criteria(peer != nullptr ? peer->process : kAnyProcess, arguments.context, arguments.tag);
  return engine_.find_unexpected(
      wanted, [this](const portals::UnexpectedMessage& message) LINTEL_REQUIRES(kLock) {
        return message.landed && peers_.find(message.initiator) != nullptr &&
               !receives_.awaits(message);
      });
}

bool Probes::look(const ProbeArguments& arguments, MessageResult& envelope) {
  if (arguments.source == kProcNull) {
    envelope = kNobody;
    return true;
  }
  const portals::UnexpectedMessage* const found = find(arguments);
  if (found == nullptr) return false;
  envelope = {peers_.find(found->initiator)->number, tag_of(found->match_bits),
              length_of(found->event), RequestFailure::kNone, false};
  return true;
}

bool Probes::take(const ProbeArguments& arguments, MatchedMessage& message) {
  if (arguments.source == kProcNull) {
    message.envelope_ = kNobody;
    message.held_ = true;
    return true;
  }
  portals::UnexpectedMessage* const found = find(arguments);
  if (found == nullptr) return false;
  const portals::Event arrival = found->event;
  std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[arrival.manipulated_length]);
  if (bytes == nullptr) return false;
  if (arrival.manipulated_length > 0) {
    std::memcpy(bytes.get(), arrival.start, arrival.manipulated_length);
  }
  Peer& peer = *peers_.find(arrival.initiator);
  message.held_ = true;
  message.envelope_ = {peer.number, tag_of(arrival.match_bits), length_of(arrival),
                       RequestFailure::kNone, false};
  message.context_ = context_of(arrival.match_bits);
  message.header_ = decode_message(arrival.header_data);
  message.header_.length = message.envelope_.length;
  message.sequence_ = arrival.remote_offset;
  message.ahead_ = arrival.manipulated_length;
  message.bytes_ = std::move(bytes);
  unexpected_blocks_.consume(*found);
  receives_.release(peer, arrival.requested_length);
  return true;
}

}  // namespace lintel::mpi
