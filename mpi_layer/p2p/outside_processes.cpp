#include "mpi_layer/p2p/outside_processes.h"

#include <algorithm>

namespace lintel::mpi {

OutsideProcesses::OutsideProcesses(const SharedParts& parts, UnexpectedBlocks& unexpected_blocks,
                                   Sends& sends, Receives& receives, std::uint32_t headers)
    : engine_(parts.engine),
      peers_(parts.peers),
      ends_(parts.ends),
      link_(parts.link),
      unexpected_blocks_(unexpected_blocks),
      sends_(sends),
      receives_(receives),
      headers_(headers) {}

CallError OutsideProcesses::add() {
  const ProcessId nobody{kOutsideNode, Pid(static_cast<std::uint32_t>(peers_.size()))};
  if (headers_ == 0 || peers_.find(nobody) != nullptr) return CallError::kProcess;
  peers_.add(nobody).outside = true;
  ++count_;
  return CallError::kNone;
}

// The remote offset carries the number, as for every message. Of the header data only the length is
// used.
std::uint64_t OutsideProcesses::deliver(std::int32_t source, std::uint32_t context,
                                        std::int32_t tag, std::uint64_t length) {
  Peer& peer = *peers_.at(source);
  LINTEL_ASSERT(peer.outside && is_context(context) && is_tag(tag) && length <= kMaxLength);
  if (peer.delivered >= std::max<std::uint32_t>(headers_ / count_, 1)) return 0;
  const std::uint64_t header = encode(DataHeader{PacketKind::kDatasync, true, 0, length});
  const std::uint64_t sequence = peer.numbers.next();
  if (!engine_.deliver(peer.process, match_bits(context, tag), sequence, header)) return 0;
  ++peer.delivered;
  peer.numbers.note_sent();
  return sequence;
}

bool OutsideProcesses::withdraw(std::int32_t source, std::uint64_t sequence) {
  Peer& peer = *peers_.at(source);
  // Any context and tag, because the number identifies the message.
  portals::UnexpectedMessage* const found = engine_.find_unexpected(
      {peer.process, 0, ~0ULL}, [&](const portals::UnexpectedMessage& message) {
        return message.event.remote_offset == sequence;
      });
  if (found == nullptr) return false;
  unexpected_blocks_.consume(*found);
  --peer.delivered;
  return true;
}

void OutsideProcesses::report_relayed() {
  while (MessageRequest* const request = ends_.take_relayed()) {
    if (link_.gateway == nullptr) continue;
    if (request->direction() == MessageRequest::Direction::kSend) {
      link_.gateway->on_relay_end(static_cast<SendRequest&>(*request));
    } else {
      link_.gateway->on_relay_end(static_cast<ReceiveRequest&>(*request));
    }
  }
}

}  // namespace lintel::mpi
