// Posting. Opening is in fabric_open.cpp, completions are in fabric_completions.cpp.
#include "transport/fabric/fabric_transport.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <new>

#include "transport/address/address.h"
#include "transport/fabric/local_sockets.h"

namespace lintel::transport {

Result<PeerId> FabricTransport::resolve(ProcessId name) {
  lock_.is_held();
  if (const PeerId known = peers_.find(name); known != kNoPeer) {
    peers_.at(known).unwanted = false;
    return known;
  }
  if (doorbells_) {
    // Added to the provider when its process is found to exist, because 1.17 confuses names that
    // are added earlier.
    if (const Result<std::string> spelled = shared_memory_name_of(name, 1); !spelled)
      return spelled.error();
    return peers_.add(name, FI_ADDR_NOTAVAIL);
  }
  const Result<sockaddr_in> socket_address = socket_address_of(name, options_.port_base);
  if (!socket_address) return socket_address.error();
  fi_addr_t address = FI_ADDR_NOTAVAIL;
  const int inserted =
      fi_av_insert(end_.addresses.raw(), &socket_address.value(), 1, &address, 0, nullptr);
  if (inserted != 1)
    return Error{Loss::kOperation, "fi_av_insert", "the provider does not take the address",
                 inserted < 0 ? -inserted : 0};
  return peers_.add(name, address);
}

ProcessId FabricTransport::name_of(PeerId peer) const {
  lock_.is_held();
  return peers_.at(peer).name;
}

MessageBuffer FabricTransport::reserve(PeerId peer, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
  FabricOperation* const frame =
      closing_ ? nullptr : take(OperationKind::kSend, peers_.at(peer).sends);
  if (frame == nullptr) return {};
  frame->state = OperationState::kLent;
  return {frames_.frame(frame->index), attributes_.max_message_bytes, frame->index};
}

FabricOperation* FabricTransport::take(OperationKind kind, SendShare& share) {
  if (FabricOperation* const record = operations_.take(kind, share)) [[likely]]
    return record;
  if (!operations_.needs_more(kind, share) || !add_records(kind)) return nullptr;
  return operations_.take(kind, share);
}

// Adds records beyond the pool, and the memory of frames for them. False: not possible now, and
// nothing has changed.
bool FabricTransport::add_records(OperationKind kind) {
  try {
    if (kind != OperationKind::kSend ||
        (frames_.add(attributes_.max_message_bytes, OperationTable::kAddedAtOnce).ok() &&
         frames_.register_last(registrar_, domain_.domain, end_.endpoint).ok())) {
      operations_.add(kind);
      return true;
    }
  } catch (const std::bad_alloc&) {
  }
  frames_.keep(operations_.count(OperationKind::kSend));
  return false;
}

void FabricTransport::release_frames() {
  operations_.release_idle_frames([this](std::size_t index) {
    lock_.is_held();
    frames_.release(index);
  });
}

PostStatus FabricTransport::commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) {
  lock_.is_held();
  FabricOperation& frame = operations_.at(OperationKind::kSend, buffer.token);
  LINTEL_ASSERT(frame.state == OperationState::kLent && bytes <= attributes_.max_message_bytes);
  if (!may_try(peer)) return PostStatus::kWouldBlock;
  const ssize_t status =
      fi_send(end_.endpoint.raw(), buffer.data, bytes, frames_.descriptor(frame.index),
              peers_.at(peer).address, &frame.provider_room);
  if (status != 0) return refused(peer, status, "fi_send");
  record_start(frame, peer);
  return PostStatus::kOk;
}

void FabricTransport::abandon(PeerId, const MessageBuffer& buffer) {
  lock_.is_held();
  FabricOperation& frame = operations_.at(OperationKind::kSend, buffer.token);
  LINTEL_ASSERT(frame.state == OperationState::kLent);
  operations_.give_back(frame);
}

void FabricTransport::disconnect(PeerId peer) {
  lock_.is_held();
  if (withdraw_placement(peer) == Withdrawal::kArriving)
    peers_.at(peer).placed_receive->given_up = true;
  peers_.disconnect(peer);
  operations_.write_off(OperationKind::kSend, peers_.at(peer).sends);
  operations_.write_off(OperationKind::kWrite, peers_.at(peer).writes);
}

void FabricTransport::forget(PeerId peer) {
  lock_.is_held();
  disconnect(peer);
  peers_.at(peer).unwanted = true;
  drop_unwanted(peer);
}

void FabricTransport::drop_unwanted(PeerId id) {
  peers_.drop_unwanted(id, doorbells_ ? nullptr : &end_.addresses);
}

Result<Registration> FabricTransport::register_memory(PeerId, std::span<std::byte> memory,
                                                      Access access) {
  lock_.is_held();
  const bool is_target = access == Access::kWriteTarget;
  // The source needs no registration.
  if (!is_target && !registrar_.rules().needs_local_descriptor) return Registration{};
  Result<OfiMemoryRegion> region =
      registrar_.open(domain_.domain, end_.endpoint, memory.data(), memory.size(),
                      is_target ? FI_REMOTE_WRITE : FI_WRITE);
  if (!region) return region.error();
  return regions_.add(std::move(region).value(), registrar_.rules().remote_base(memory.data()));
}

void FabricTransport::deregister_memory(const Registration& region) {
  lock_.is_held();
  regions_.remove(region);
}

PostStatus FabricTransport::post_write(PeerId peer, const LocalMemory& from, RemoteMemory to,
                                       Immediate immediate, Context context) {
  lock_.is_held();
  LINTEL_ASSERT(from.length > 0 && from.length <= attributes_.max_write_bytes);
  if (!may_try(peer)) return PostStatus::kWouldBlock;
  if (shared_memory_writes_.blocked() && from.length > provider_.inject_bytes) {
    peers_.fail(peer, SharedMemoryWrites::kBlocked);
    return PostStatus::kFailed;
  }
  void* descriptor = nullptr;
  if (registrar_.rules().needs_local_descriptor) descriptor = regions_.descriptor_of(from.region);
  FabricOperation* const write = take(OperationKind::kWrite, peers_.at(peer).writes);
  if (write == nullptr) return PostStatus::kWouldBlock;
  const ssize_t status =
      fi_writedata(end_.endpoint.raw(), from.data, from.length, descriptor, immediate.value,
                   peers_.at(peer).address, to.address, to.key, &write->provider_room);
  if (status != 0) {
    operations_.give_back(*write);
    return refused(peer, status, "fi_writedata");
  }
  write->context = context;
  record_start(*write, peer);
  return PostStatus::kOk;
}

// False: the peer is known to be absent, or it is too early for another attempt.
bool FabricTransport::may_try(PeerId id) {
  FabricPeer& peer = peers_.at(id);
  if (!peers_.may_try(peer, now_)) return false;
  if (peer.address != FI_ADDR_NOTAVAIL) [[likely]]
    return true;
  try {
    if (doorbells_->add_to_provider(id, peer, end_.addresses)) return true;
  } catch (const std::bad_alloc&) {
    // It is tried again, as if the peer were absent.
  }
  peers_.refused(id, now_);
  return false;
}

// The provider has taken nothing. "Try again" is no error, but it may mean that the peer is absent;
// FabricPeerTable limits the time.
PostStatus FabricTransport::refused(PeerId peer, ssize_t status, const char* call) {
  if (status == -FI_EAGAIN) {
    peers_.refused(peer, now_);
    if (doorbells_) doorbells_->ring(peer);  // the peer's poll() answers a first contact
    return PostStatus::kWouldBlock;
  }
  peers_.fail(peer, {Loss::kPeer, call, "the provider refuses to talk to the peer",
                     static_cast<int>(-status)});
  return PostStatus::kFailed;
}

void FabricTransport::record_start(FabricOperation& operation, PeerId peer) {
  FabricPeer& to = peers_.at(peer);
  operation.state = OperationState::kInFlight;
  operation.peer = peer;
  operation.peer_epoch = to.epoch;
  ++to.under_way;
  const bool first_contact = !to.reached;
  peers_.accepted(to);
  if (first_contact) [[unlikely]]
    connected(to);
  if (doorbells_) doorbells_->ring(peer);
}

// Called when a connection to the peer was made, and the provider has an operation on it.
void FabricTransport::connected(const FabricPeer& peer) {
  if (!provider_.socket_addresses) return;
  try {
    const Result<sockaddr_in> own = socket_address_of(self_, options_.port_base);
    const Result<sockaddr_in> other = socket_address_of(peer.name, options_.port_base);
    if (own && other && on_this_machine(*own, *other)) disable_pacing_of_connections(*own, *other);
  } catch (const std::bad_alloc&) {
    // The connection is slower then.
  }
}

// Gives the record back. False: the peer was lost after the operation was posted.
bool FabricTransport::record_end(FabricOperation& operation) {
  FabricPeer& peer = peers_.at(operation.peer);
  const bool current = peer.epoch == operation.peer_epoch;
  if (current) --peer.in_flight;
  --peer.under_way;
  operations_.give_back(operation);
  if (peer.unwanted) [[unlikely]]
    drop_unwanted(operation.peer);
  return current;
}

bool FabricTransport::close(TimePoint) {
  lock_.is_held();
  closing_ = true;
  return operations_.taken_count(OperationKind::kSend) == 0;
}

void FabricTransport::dump(std::string& text) const {
  lock_.is_held();
  const auto line = [&text](const char* what, std::uint64_t number) {
    text += std::string("  ") + what + ": " + std::to_string(number) + "\n";
  };
  text += "fabric " + attributes_.name + " " + attributes_.version + " at " + to_string(self_.nid) +
          " pid " + std::to_string(self_.pid.value) + "\n";
  line("peers", peers_.size());
  line("most addresses", peers_.most_addresses());
  line("messages under way or lent", operations_.taken_count(OperationKind::kSend));
  line("writes under way", operations_.taken_count(OperationKind::kWrite));
  line("messages to peers that were given up", operations_.written_off_count(OperationKind::kSend));
  line("writes to peers that were given up", operations_.written_off_count(OperationKind::kWrite));
  line("registrations", regions_.size());
  line("receives of placed messages", operations_.taken_count(OperationKind::kPlacedReceive));
  line("failed sends", counters_.failed_sends);
  line("failed writes", counters_.failed_writes);
  line("failed receives", counters_.failed_receives);
  line("unknown completions", counters_.foreign_completions);
}

TimePoint FabricTransport::next_deadline() const {
  lock_.is_held();
  // Without a descriptor to wait on, poll often. Also while the shared-memory provider has
  // operations under way, because their end does not ring the doorbell.
  constexpr Nanoseconds kLookAgain = std::chrono::microseconds(500);
  constexpr Nanoseconds kLookSoon = std::chrono::microseconds(50);
  TimePoint deadline = receives_.must_repost() ? now_ : peers_.next_deadline(now_);
  if (wait_fd_ < 0) deadline = std::min(deadline, now_ + kLookAgain);
  if (receives_.has_torn()) deadline = std::min(deadline, now_ + ReceiveBuffers::kTornGrace);
  if (doorbells_ && operations_in_flight() > 0) deadline = std::min(deadline, now_ + kLookSoon);
  return deadline;
}

std::size_t FabricTransport::operations_in_flight() const {
  return operations_.taken_count(OperationKind::kSend) +
         operations_.taken_count(OperationKind::kWrite);
}

}  // namespace lintel::transport
