// Handles the completion queue.
#include <rdma/fi_errno.h>

#include <cstdlib>
#include <utility>

#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kEntriesPerRead = 32;
// What prepare_wait() reads.
constexpr std::size_t kHeldAtOnce = 8;
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
  if (doorbells_) doorbells_->wake_up();
  std::size_t reports = 0;
  if (!held_.empty()) reports += take_held(sink);
  fi_cq_data_entry entries[kEntriesPerRead];
  for (int read = 0; read < kReadsPerPoll; ++read) {
    const ssize_t got = fi_cq_read(end_.completions.raw(), entries, kEntriesPerRead);
    if (got > 0) {
      held_.add(entries, static_cast<std::size_t>(got));
      reports += take_held(sink);
      if (receives_.must_repost()) receives_.repost(end_.endpoint);
      if (static_cast<std::size_t>(got) < kEntriesPerRead) break;
    } else if (got == -FI_EAVAIL) {
      reports += take_errors(sink);
      if (!held_.empty()) reports += take_held(sink);
    } else if (read + 1 == kReadsPerPoll || !placed_receives_.payload_has_begun()) {
      if (placed_receives_.enabled()) placed_receives_.look_for_unexpected(end_.endpoint);
      break;
    }
  }
  if (receives_.has_torn()) receives_.release_torn(now_);
  if (operations_.has_idle_frames()) [[unlikely]]
    release_frames();
  if (receives_.must_repost()) receives_.repost(end_.endpoint);
  if (doorbells_) reports += shared_memory_writes_.poll(now, away, *doorbells_, sink);
  if (peers_.must_report()) reports += peers_.report_failures(now, sink);
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
    if (known && operation->kind == OperationKind::kReceive)
      receives_.take(*operation, entry.flags, {}, now_);
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
      receives_.take(*operation, entry.flags, message, now_);
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
      shared_memory_writes_.note_end(now_);
      record_end(*operation);
      sink.on_write_done(context, Error());
      return 1;
    }
    case OperationKind::kPlacedReceive: return take_placed(*operation, entry, sink);
  }
  return 0;
}

std::size_t FabricTransport::take_errors(Sink& sink) {
  std::size_t reports = 0;
  for (;;) {
    fi_cq_err_entry entry{};  // err_data_size 0: no details from the provider
    const ssize_t got = fi_cq_readerr(end_.completions.raw(), &entry, 0);
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
  while (!held_.empty()) {
    fi_cq_data_entry entry;
    while (held_.take(entry)) reports += take_completion(entry, sink);
    fi_cq_err_entry error;
    while (held_.take_error(error)) reports += take_error(error, sink);
  }
  return reports;
}

std::size_t FabricTransport::end_failed_operation(FabricOperation& operation,
                                                  const fi_cq_err_entry& entry, Sink& sink) {
  const int code = positive(entry.err);
  if (operation.kind == OperationKind::kReceive) {
    ++counters_.failed_receives;  // its sender will repeat the message or be found dead
    receives_.tear(operation, entry.flags, now_);
    return 0;
  }
  if (operation.kind == OperationKind::kPlacedReceive) {
    end_failed_receive(operation, entry);
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

bool FabricTransport::prepare_wait() {
  lock_.is_held();
  if (!held_.empty() || receives_.must_repost()) return false;
  if (doorbells_) doorbells_->fall_asleep();
  if (wait_object_.provider_arms()) return wait_object_.may_sleep(domain_.fabric, end_.completions);
  // What has arrived since the last poll() would not wake the sleeper. Reading also lets the
  // provider process what its sockets have.
  fi_cq_data_entry entries[kHeldAtOnce];
  const ssize_t got = fi_cq_read(end_.completions.raw(), entries, kHeldAtOnce);
  if (got > 0) held_.add(entries, static_cast<std::size_t>(got));
  return got == -FI_EAGAIN && (!placed_receives_.enabled() || !unexpected_is_waiting());
}

}  // namespace lintel::transport
