// Handles the completion queue.
#include <rdma/fi_errno.h>

#include <cstdlib>
#include <utility>

#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kEntriesPerRead = 32;
// Bounds poll() when peers send without pause.
constexpr int kReadsPerPoll = 8;

// Some providers return the negative error number.
int positive(int code) { return std::abs(code); }

const char* reason_for(int code) {
  switch (code) {
    case FI_ECONNREFUSED: return "nobody listens at the peer's address";
    case FI_ECONNRESET:
    case FI_ENOTCONN:
    case FI_ECONNABORTED:
    case FI_ESHUTDOWN: return "the connection to the peer is broken";
    case FI_ECANCELED: return "the connection to the peer was closed under the operation";
    case FI_ETIMEDOUT: return "the peer does not answer";
    case FI_EHOSTUNREACH: return "there is no route to the peer";
    case FI_EINVAL:
    case FI_EACCES:
    case FI_ENOKEY:
    case FI_EFAULT:
    case FI_EIO: return "the peer's side refuses the operation";
    default: return "the operation failed in the provider";
  }
}

}  // namespace

std::size_t FabricTransport::poll(TimePoint now, Sink& sink) {
  lock_.is_held();
  const Nanoseconds away = now - now_;
  now_ = now;
  if (asleep_) {
    neighbours_->own_doorbell().wake_up();
    asleep_ = false;
  }
  std::size_t reports = 0;
  if (has_held()) reports += take_held(sink);
  fi_cq_data_entry entries[kEntriesPerRead];
  for (int read = 0; read < kReadsPerPoll; ++read) {
    const ssize_t got = fi_cq_read(completions_.raw(), entries, kEntriesPerRead);
    if (got > 0) {
      held_.insert(held_.end(), entries, entries + got);
      reports += take_held(sink);
      // Not earlier, because an entry of the same batch may point into a buffer that an earlier
      // entry has released.
      if (!receives_to_post_.empty()) repost_receives();
      if (static_cast<std::size_t>(got) < kEntriesPerRead) break;
    } else if (got == -FI_EAVAIL) {
      reports += take_errors(sink);
      if (has_held()) reports += take_held(sink);
    } else if (read + 1 == kReadsPerPoll || !payload_has_begun()) {
      if (placement_enabled_) look_for_unexpected();
      break;
    }
  }
  if (torn_receives_) release_torn();
  if (operations_.has_idle_frames()) [[unlikely]]
    release_frames();
  if (!receives_to_post_.empty()) repost_receives();
  if (neighbours_) {
    if (neighbours_->fail_dead_peers(now, peers_)) reports += end_lost_operations(sink);
    // Time during which this process did not poll does not count against the write timeout.
    if (operations_.taken_count(OperationKind::kWrite) == 0 ||
        away > fabric_options_.write_timeout / 4)
      write_progress_ = now;
    if (now - write_progress_ > fabric_options_.write_timeout) reports += fail_all_writes(sink);
    if (operations_.taken_count(OperationKind::kWrite) > 0) ring_targets_of_writes();
  }
  if (peers_.must_report()) reports += peers_.report_failures(now, sink);
  return reports;
}

// In libfabric 2.1 both sides of a large write take turns. Its target may have fallen asleep since
// its last one.
void FabricTransport::ring_targets_of_writes() {
  std::size_t left = operations_.taken_count(OperationKind::kWrite);
  for (std::size_t i = 0; left > 0 && i < operations_.count(OperationKind::kWrite); ++i) {
    const FabricOperation& write = operations_.at(OperationKind::kWrite, i);
    if (write.state == OperationState::kFree || write.written_off) continue;
    --left;
    if (write.state == OperationState::kInFlight && !is_lost(write)) neighbours_->ring(write.peer);
  }
}

// Ends the operations to peers that are gone.
std::size_t FabricTransport::end_lost_operations(Sink& sink) {
  for (std::size_t i = 0; i < operations_.count(OperationKind::kSend); ++i) {
    if (FabricOperation& send = operations_.at(OperationKind::kSend, i); is_lost(send))
      end_lost(send);
  }
  for (std::size_t i = 0; i < operations_.count(OperationKind::kWrite); ++i) {
    if (is_lost(operations_.at(OperationKind::kWrite, i))) return fail_all_writes(sink);
  }
  return 0;
}

void FabricTransport::end_lost(FabricOperation& operation) {
  --peers_.at(operation.peer).under_way;
  operations_.give_back_last(operation);
  if (peers_.at(operation.peer).unwanted) drop_unwanted(operation.peer);
}

bool FabricTransport::is_lost(const FabricOperation& operation) const {
  return operation.state == OperationState::kInFlight &&
         peers_.at(operation.peer).address == FI_ADDR_NOTAVAIL;
}

// The shared-memory provider keeps writes to a dead process, or into memory that is no longer
// registered, forever, or reports their end without saying which. In addition, 1.17 handles the
// answers to large writes in order: after one that never comes it sees no other. So all large
// writes end here, to whatever peer, and no more are posted.
std::size_t FabricTransport::fail_all_writes(Sink& sink) {
  writes_blocked_ = true;
  std::size_t reports = 0;
  for (std::size_t i = 0; i < operations_.count(OperationKind::kWrite); ++i) {
    FabricOperation& write = operations_.at(OperationKind::kWrite, i);
    if (write.state != OperationState::kInFlight) continue;
    const Context context = write.context;
    if (!is_lost(write)) peers_.fail(write.peer, kWritesBlocked);
    end_lost(write);
    sink.on_write_done(context, kWritesBlocked);
    ++reports;
  }
  return reports;
}

// What the entry ends or releases is noted before the sink is called, which may throw.
std::size_t FabricTransport::take_completion(const fi_cq_data_entry& entry, Sink& sink) {
  FabricOperation* const operation = operations_.find(entry.op_context);
  const bool known = operation != nullptr && operation->state != OperationState::kFree &&
                     operation->state != OperationState::kLent;
  if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) {
    // A write of a peer. Most providers give no context with it; those with FI_RX_CQ_DATA may
    // consume a receive.
    if (known && operation->kind == OperationKind::kReceive) note_received(*operation, entry, {});
    sink.on_immediate(kNoPeer, Immediate(static_cast<std::uint32_t>(entry.data)));
    return 1;
  }
  if (!known) {
    ++counters_.foreign_completions;
    return 0;
  }
  switch (operation->kind) {
    case OperationKind::kReceive: {
      // A release may arrive alone, without buffer and length.
      const auto* const bytes = static_cast<const std::byte*>(entry.buf);
      const std::span<const std::byte> message(bytes, bytes != nullptr ? entry.len : 0);
      note_received(*operation, entry, message);
      if (message.empty()) return 0;
      sink.on_message(kNoPeer, message);  // its buffer is posted again after all that is held
      return 1;
    }
    case OperationKind::kSend: {
      const PeerId peer = operation->peer;
      const Context context = operation->context;
      const bool placed_message = std::exchange(operation->placed_message, false);
      std::size_t reports = 0;
      if (record_end(*operation)) {
        sink.on_message_left(peer);
        ++reports;
      }
      if (placed_message) {
        sink.on_write_done(context, Error());
        ++reports;
      }
      return reports;
    }
    case OperationKind::kWrite: {
      const Context context = operation->context;
      write_progress_ = now_;
      record_end(*operation);
      sink.on_write_done(context, Error());
      return 1;
    }
    case OperationKind::kLanding: return take_placed(*operation, entry, sink);
  }
  return 0;
}

void FabricTransport::note_received(FabricOperation& receive, const fi_cq_data_entry& entry,
                                    std::span<const std::byte> message) {
  receive.taken_bytes += message.size();
  if ((entry.flags & FI_MULTI_RECV) != 0) {
    const std::byte* const start = receive_buffers_.buffer(receive.index);
    filled(receive, !message.empty() && message.data() >= start
                        ? static_cast<std::size_t>(message.data() - start) + message.size()
                        : receive.taken_bytes);
  }
  if (receive.filled && receive.taken_bytes >= receive.end_bytes) released(receive);
}

std::size_t FabricTransport::take_errors(Sink& sink) {
  std::size_t reports = 0;
  for (;;) {
    fi_cq_err_entry entry{};  // err_data_size 0: no details from the provider
    const ssize_t got = fi_cq_readerr(completions_.raw(), &entry, 0);
    if (got <= 0) return reports;
    reports += take_error(entry, sink);
  }
}

std::size_t FabricTransport::take_error(const fi_cq_err_entry& entry, Sink& sink) {
  FabricOperation* operation = operations_.find(entry.op_context);
  if (operation != nullptr && operation->state == OperationState::kInFlight)
    return end_failed_operation(*operation, entry, sink);
  ++counters_.foreign_completions;
  return 0;
}

// In the order in which they were read. A call of the sink may add more, or throw std::bad_alloc:
// the next poll() then continues behind it.
std::size_t FabricTransport::take_held(Sink& sink) {
  std::size_t reports = 0;
  while (has_held()) {
    while (!held_.empty()) {
      const fi_cq_data_entry entry = held_.front();
      held_.pop_front();
      reports += take_completion(entry, sink);
    }
    while (!held_errors_.empty()) {
      const fi_cq_err_entry entry = held_errors_.front();
      held_errors_.pop_front();
      reports += take_error(entry, sink);
    }
  }
  return reports;
}

std::size_t FabricTransport::end_failed_operation(FabricOperation& operation,
                                                  const fi_cq_err_entry& entry, Sink& sink) {
  const int code = positive(entry.err);
  if (operation.kind == OperationKind::kReceive) {
    // A message ended in the middle. Its sender will repeat it or be found dead. What matters is
    // whether the provider has released the buffer.
    ++counters_.failed_receives;
    operation.torn = true;
    torn_receives_ = true;
    if ((entry.flags & FI_MULTI_RECV) != 0) filled(operation, receive_buffers_.buffer_bytes());
    return 0;
  }
  if (operation.kind == OperationKind::kLanding) {
    end_failed_landing(operation, entry);
    return 0;
  }
  const Error error{Loss::kPeer,
                    operation.kind == OperationKind::kSend ? "fi_send" : "fi_writedata",
                    reason_for(code), code};
  const PeerId peer = operation.peer;
  const Context context = operation.context;
  const bool is_write = operation.kind == OperationKind::kWrite;
  const bool keeps_memory = is_write || std::exchange(operation.placed_message, false);
  ++(is_write ? counters_.failed_writes : counters_.failed_sends);
  // The first failed operation of this connection.
  if (record_end(operation)) peers_.fail(peer, error);
  if (!keeps_memory) return 0;
  sink.on_write_done(context, error);
  return 1;
}

// Called when no further message begins in the buffer. The last one ends at `end_bytes`.
void FabricTransport::filled(FabricOperation& receive, std::size_t end_bytes) {
  receive.filled = true;
  receive.end_bytes = end_bytes;
  receive.filled_at = now_;
}

// If a message in a buffer ended in the middle, the provider does not say when the other messages
// in it are complete. So the buffer is released after kTornGrace, which is long enough for them.
void FabricTransport::release_torn() {
  torn_receives_ = false;
  for (std::size_t i = 0; i < operations_.count(OperationKind::kReceive); ++i) {
    FabricOperation& receive = operations_.at(OperationKind::kReceive, i);
    if (receive.state != OperationState::kInFlight || !receive.torn) continue;
    if (receive.filled && now_ >= receive.filled_at + kTornGrace) {
      released(receive);
    } else {
      torn_receives_ = true;
    }
  }
}

// The provider has released a receive buffer. It is posted again after the batch of completions,
// and once only, even if the release is reported twice.
void FabricTransport::released(FabricOperation& receive) {
  receive.state = OperationState::kFree;
  receives_to_post_.push_back(&receive);
}

bool FabricTransport::post_receive(FabricOperation& receive) {
  iovec buffer{receive_buffers_.buffer(receive.index), receive_buffers_.buffer_bytes()};
  void* descriptor = receive_buffers_.descriptor();
  fi_msg message{};
  message.msg_iov = &buffer;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = &receive.provider_room;
  if (fi_recvmsg(endpoint_.raw(), &message, FI_MULTI_RECV) != 0) return false;
  receive.state = OperationState::kInFlight;
  receive.taken_bytes = 0;
  receive.filled = receive.torn = false;
  return true;
}

// The next poll() tries again what cannot be posted now.
void FabricTransport::repost_receives() {
  std::size_t kept = 0;
  for (FabricOperation* receive : receives_to_post_) {
    if (!post_receive(*receive)) receives_to_post_[kept++] = receive;
  }
  receives_to_post_.resize(kept);
}

bool FabricTransport::prepare_wait() {
  lock_.is_held();
  if (has_held() || !receives_to_post_.empty()) return false;
  if (neighbours_ && !asleep_) {
    neighbours_->own_doorbell().fall_asleep();
    asleep_ = true;
  }
  if (wait_object_.provider_arms()) return wait_object_.may_sleep(fabric_, completions_);
  // What has arrived since the last poll() would not wake the sleeper. Reading also lets the
  // provider process what its sockets have.
  fi_cq_data_entry entries[kHeldAtOnce];
  const ssize_t got = fi_cq_read(completions_.raw(), entries, kHeldAtOnce);
  if (got > 0) held_.insert(held_.end(), entries, entries + got);
  return got == -FI_EAGAIN && (!placement_enabled_ || !unexpected_is_waiting());
}

}  // namespace lintel::transport
