// Placed messages. See PlacedReceives for those that arrive.
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <cstring>

#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {

void FabricTransport::enable_placement() {
  lock_.is_held();
  if (!placed_receives_.enabled() && attributes_.max_placed_bytes > 0) placed_receives_.enable();
}

PostStatus FabricTransport::commit_placed(PeerId peer, const MessageBuffer& buffer,
                                          std::size_t bytes, std::span<const std::byte> payload,
                                          PlacementKey key, Context context) {
  lock_.is_held();
  FabricOperation& frame = operations_.at(OperationKind::kSend, buffer.token);
  LINTEL_ASSERT(frame.state == OperationState::kLent && bytes <= PlacedReceives::kMessageBytes &&
                is_placement_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes_.max_placed_bytes);
  if (!may_try(peer)) return PostStatus::kWouldBlock;
  std::memset(buffer.data + bytes, 0, PlacedReceives::kMessageBytes - bytes);
  // Never written.
  const iovec pieces[] = {{buffer.data, PlacedReceives::kMessageBytes},
                          {const_cast<std::byte*>(payload.data()), payload.size()}};
  const ssize_t status = fi_tsendv(end_.endpoint.raw(), pieces, nullptr, std::size(pieces),
                                   peers_.at(peer).address, key.value, &frame.provider_room);
  if (status != 0) return refused(peer, status, "fi_tsendv");
  frame.placed_message = true;
  frame.context = context;
  record_start(frame, peer);
  return PostStatus::kOk;
}

bool FabricTransport::expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) {
  lock_.is_held();
  return placed_receives_.expect(peer, key, memory, end_.endpoint);
}

// The provider removes a receive that no message has matched from its list at once, and reports
// this in its queue. About one that was matched it reports nothing.
Withdrawal FabricTransport::withdraw_placement(PeerId peer) {
  lock_.is_held();
  FabricOperation* const receive = peers_.at(peer).placed_receive;
  if (receive == nullptr) return Withdrawal::kNone;
  fi_cancel(&end_.endpoint.raw()->fid, &receive->provider_room);
  while (held_.make_room()) {
    fi_cq_data_entry entry;
    const ssize_t got = fi_cq_read(end_.completions.raw(), &entry, 1);
    if (got == 1) {
      held_.add(&entry, 1);
      if (entry.op_context == &receive->provider_room) return Withdrawal::kArriving;
    } else if (got == -FI_EAVAIL) {
      fi_cq_err_entry error{};
      if (fi_cq_readerr(end_.completions.raw(), &error, 0) <= 0) continue;
      if (error.op_context != &receive->provider_room) {
        held_.add_error(error);
        continue;
      }
      end_failed_receive(*receive, error);
      return Withdrawal::kWithdrawn;
    } else {
      break;
    }
  }
  return Withdrawal::kArriving;
}

// A peer that is unwanted was disconnected, so nothing of it is reported.
std::size_t FabricTransport::take_placed(FabricOperation& receive, const fi_cq_data_entry& entry,
                                         Sink& sink) {
  const PeerId peer = receive.peer;
  const bool unwanted = peer != kNoPeer && peers_.at(peer).unwanted;
  const std::size_t reports = placed_receives_.take(receive, entry, end_.endpoint, sink);
  if (unwanted) [[unlikely]]
    drop_unwanted(peer);
  return reports;
}

void FabricTransport::end_failed_receive(FabricOperation& receive, const fi_cq_err_entry& entry) {
  const PeerId peer = receive.peer;
  placed_receives_.end_failed(receive, entry);
  if (peer != kNoPeer && peers_.at(peer).unwanted) drop_unwanted(peer);
}

// Whether an unexpected payload waits, which would not wake a sleeper. REQUIRES: the completion
// queue has just been found empty.
// Reads only errors, of which "there is none" is one. Any other read of the queue would let the
// provider process what has arrived since, and something could remain that wakes nobody.
bool FabricTransport::unexpected_is_waiting() {
  if (placed_receives_.is_asking()) return true;
  // All slots are posted then; the end of each is reported.
  if (!placed_receives_.ask_for_unexpected(end_.endpoint)) return false;
  fi_cq_err_entry answer{};
  if (fi_cq_readerr(end_.completions.raw(), &answer, 0) <= 0) return true;
  if (!placed_receives_.is_answer(answer)) {
    held_.add_error(answer);
    return true;
  }
  placed_receives_.take_answer(answer);
  return false;
}

}  // namespace lintel::transport
