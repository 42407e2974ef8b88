#include "transport/fabric/shared_memory_writes.h"

namespace lintel::transport {

std::size_t SharedMemoryWrites::poll(TimePoint now, Nanoseconds away, PeerDoorbells& doorbells,
                                     Sink& sink) {
  std::size_t reports = 0;
  if (doorbells.fail_dead_peers(now, peers_)) reports += end_lost_operations(sink);
  // Time during which this process did not poll does not count against the write timeout.
  if (operations_.taken_count(OperationKind::kWrite) == 0 || away > timeout_ / 4) progress_ = now;
  if (now - progress_ > timeout_) reports += fail_all(sink);
  if (operations_.taken_count(OperationKind::kWrite) > 0) ring_targets(doorbells);
  return reports;
}

// In libfabric 2.1 both sides of a large write take turns. Its target may have fallen asleep since
// its last one.
void SharedMemoryWrites::ring_targets(PeerDoorbells& doorbells) {
  std::size_t left = operations_.taken_count(OperationKind::kWrite);
  for (std::size_t i = 0; left > 0 && i < operations_.count(OperationKind::kWrite); ++i) {
    const FabricOperation& write = operations_.at(OperationKind::kWrite, i);
    if (write.state == OperationState::kFree || write.written_off) continue;
    --left;
    if (write.state == OperationState::kInFlight && !is_lost(write)) doorbells.ring(write.peer);
  }
}

// Ends the operations to peers that are gone.
std::size_t SharedMemoryWrites::end_lost_operations(Sink& sink) {
  for (std::size_t i = 0; i < operations_.count(OperationKind::kSend); ++i) {
    if (FabricOperation& send = operations_.at(OperationKind::kSend, i); is_lost(send))
      end_lost(send);
  }
  for (std::size_t i = 0; i < operations_.count(OperationKind::kWrite); ++i) {
    if (is_lost(operations_.at(OperationKind::kWrite, i))) return fail_all(sink);
  }
  return 0;
}

void SharedMemoryWrites::end_lost(FabricOperation& operation) {
  --peers_.at(operation.peer).under_way;
  operations_.give_back_last(operation);
  if (peers_.at(operation.peer).unwanted) peers_.drop_unwanted(operation.peer, nullptr);
}

bool SharedMemoryWrites::is_lost(const FabricOperation& operation) const {
  return operation.state == OperationState::kInFlight &&
         peers_.at(operation.peer).address == FI_ADDR_NOTAVAIL;
}

std::size_t SharedMemoryWrites::fail_all(Sink& sink) {
  blocked_ = true;
  std::size_t reports = 0;
  for (std::size_t i = 0; i < operations_.count(OperationKind::kWrite); ++i) {
    FabricOperation& write = operations_.at(OperationKind::kWrite, i);
    if (write.state != OperationState::kInFlight) continue;
    const Context context = write.context;
    if (!is_lost(write)) peers_.fail(write.peer, kBlocked);
    end_lost(write);
    sink.on_write_done(context, kBlocked);
    ++reports;
  }
  return reports;
}

}  // namespace lintel::transport
