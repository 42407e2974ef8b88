#include "portals/engine/protocol/endpoint.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.h"

namespace lintel::portals {
namespace {

// Ends what needs the message, which will not be sent.
[[gnu::cold]] void close_unsent(Outbox::Unsent& message, Failure failure, Initiator& initiator)
    LINTEL_REQUIRES(kLock) {
  if (message.completion.interface != nullptr)
    message.completion.interface->close(std::move(message.completion), failure);
  if (message.operation.generation != 0) initiator.fail_unsent(message.operation, failure);
}

// Writes a line for which there may be no memory.
template <class Write>
[[gnu::cold]] void log_if_possible(Write&& write) LINTEL_REQUIRES(kLock) {
  try {
    write();
  } catch (const std::bad_alloc&) {
  }
}

// Says that the peer is given up because it has left so many of `what` unread.
[[gnu::cold]] void log_unread(const transport::Transport& transport, transport::PeerId peer,
                              std::size_t unread, const char* what) LINTEL_REQUIRES(kLock) {
  log_if_possible([&]() LINTEL_REQUIRES(kLock) {
    LINTEL_LOG(kWarn, "peer %s; given up: it does not read %zu %s",
               transport.describe(peer).c_str(), unread, what);
  });
}

// A peer to which data of the interface are on their way, or kNoPeer.
transport::PeerId reader_of_memory(Operations& operations, const NetworkInterface& interface)
    LINTEL_REQUIRES(kLock) {
  transport::PeerId reader = transport::kNoPeer;
  operations.for_each([&](const Operation& operation) {
    if (operation.interface_kind == interface.kind() && Transfers::is_being_read(operation))
      reader = operation.peer;
  });
  return reader;
}

constexpr Error kNotRead{Loss::kPeer, "answer", "the peer does not read answers to its requests"};
constexpr Error kNoMemory{Loss::kPeer, "receive", "there is no memory for what the peer has sent"};

}  // namespace

Endpoint::Endpoint(std::unique_ptr<transport::Transport> transport, const EndpointOptions& options,
                   Counters& counters)
    : transport_(std::move(transport)),
      counters_(counters),
      limits_(TransferLimits::of(options.eager_limit, transport_->attributes())),
      peers_(*transport_),
      placed_messages_(*transport_, peers_),
      operations_(*transport_, options.max_operations, options.operation_limit,
                  options.random_seed),
      outbox_(*transport_, operations_, counters, options.answer_limit),
      transfers_(*transport_, outbox_, operations_, counters, options.random_seed),
      initiator_(limits_, transport_->attributes().max_message_bytes, peers_, outbox_, operations_,
                 transfers_, interfaces_, counters),
      target_(limits_, transport_->attributes().max_message_bytes, outbox_, operations_, transfers_,
              counters),
      closing_(*transport_, interfaces_, outbox_, transfers_, initiator_) {}

Endpoint::~Endpoint() {
  interfaces_.for_each([](NetworkInterface&) { LINTEL_ASSERT(false); });
  // Messages that are left are answers to live peers for which there was never room. No operation
  // here waits for them.
  operations_.for_each([this](Operation& operation)
                           LINTEL_REQUIRES(kLock) { fail(operation, Failure::kShutdown); });
  outbox_.take_all([this](Outbox::Unsent& unsent) LINTEL_REQUIRES(kLock) {
    close_unsent(unsent, Failure::kShutdown, initiator_);
  });
}

void Endpoint::attach(NetworkInterface& interface) {
  LINTEL_ASSERT(interface.kind() < kMaxInterfaces && interfaces_.get(interface.kind()) == nullptr);
  interfaces_.rows[interface.kind()] = {.interface = &interface, .closing = false};
}

void Endpoint::detach(NetworkInterface& interface) {
  LINTEL_ASSERT(interfaces_.get(interface.kind()) == &interface);
  outbox_.withdraw(interface.kind(), [&](Outbox::Unsent& unsent) LINTEL_REQUIRES(kLock) {
    if (unsent.completion.interface != nullptr)
      interface.close(std::move(unsent.completion), Failure::kShutdown);
  });
  // The network must not read memory that is the program's again when this returns.
  while (!closing_.of_last()) {
    const transport::PeerId reader = reader_of_memory(operations_, interface);
    if (reader == transport::kNoPeer) break;
    log_if_possible([&]() LINTEL_REQUIRES(kLock) {
      LINTEL_LOG(kWarn, "peer %s; given up: it has not taken the data of an interface that ends",
                 transport_->describe(reader).c_str());
    });
    transport_->disconnect(reader);
    on_peer_failed(reader, {});
  }
  transport::PeerId not_notified;
  do {
    not_notified = transport::kNoPeer;
    operations_.for_each([&](Operation& operation) LINTEL_REQUIRES(kLock) {
      if (operation.interface_kind != interface.kind() || not_notified != transport::kNoPeer)
        return;
      try {
        if (!closing_.of_last()) transfers_.notify_ending(operation);
      } catch (const std::bad_alloc&) {
        not_notified = operation.peer;  // which would wait for ever; all its operations end below
        return;
      }
      fail(operation, Failure::kShutdown);
    });
    if (not_notified != transport::kNoPeer) no_memory_for(not_notified);
  } while (not_notified != transport::kNoPeer);
  interfaces_.rows[interface.kind()].interface = nullptr;
  // Requests of other interfaces were held until its operations are answered, and nothing may
  // arrive that lets a turn follow.
  try {
    retry_outbox();
  } catch (const std::bad_alloc&) {  // next_deadline() lets one follow
  }
}

// ---- Losses

void Endpoint::on_peer_failed(transport::PeerId peer, Error) {
  counters_.add(Counter::kPeerFailures);
  log_if_possible([&]() LINTEL_REQUIRES(kLock) {
    peers_.log_loss(peer, outbox_.waits_for(peer) || operations_.any_with(peer));
  });
  peers_.notify_waiters(peer);
  outbox_.take(peer, [this](Outbox::Unsent& unsent) LINTEL_REQUIRES(kLock) {
    close_unsent(unsent, Failure::kPeerDead, initiator_);
  });
  while (Operation* const operation = operations_.first_with(peer))
    fail(*operation, Failure::kPeerDead);
  interfaces_.for_each([&](NetworkInterface& interface) LINTEL_REQUIRES(kLock) {
    interface.events.peer_lost(peers_.name_of(peer));
  });
}

void Endpoint::fail(Operation& operation, Failure failure) {
  const bool has_request = operation.request != nullptr;
  const bool reported = transfers_.fail(operation, failure);
  if (has_request) initiator_.fail(operation, failure, reported);
}

// ---- Turns

std::size_t Endpoint::poll(TimePoint now) {
  given_up_ = transport::kNoPeer;
  return turn(transport_->poll(now, *this), now);
}

std::size_t Endpoint::poll_arrivals(TimePoint now) {
  given_up_ = transport::kNoPeer;
  return turn(transport_->poll_arrivals(now, *this), now);
}

// No event reports room for writes or memory for messages, so this process tries again soon.
TimePoint Endpoint::next_deadline() const {
  constexpr Nanoseconds kRoomRetry = std::chrono::milliseconds(1);
  const TimePoint deadline = transport_->next_deadline();
  const bool again = transfers_.waits_for_room() || (retry_due_ && !outbox_.idle());
  return again ? std::min(deadline, last_poll_ + kRoomRetry) : deadline;
}

std::size_t Endpoint::retry_outbox() {
  retry_due_ = true;
  const std::size_t left = outbox_.retry();
  retry_due_ = false;
  return left;
}

// After the transport's turn: messages and writes that had no room before may have some now.
std::size_t Endpoint::turn(std::size_t happened, TimePoint now) {
  last_poll_ = now;
  if (!outbox_.idle()) happened += retry_outbox();
  if (transfers_.waits_for_room()) transfers_.retry();
  while (outbox_.answers().overdrawn() != transport::kNoPeer) {
    give_up_overdrawn(outbox_.answers().overdrawn());
    ++happened;
  }
  return happened;
}

// It sends requests and does not read the answers.
void Endpoint::give_up_overdrawn(transport::PeerId peer) {
  log_unread(*transport_, peer, outbox_.answers().kept_for(peer),
             "bytes of answers (LINTEL_MEMORY_LIMIT)");
  give_up(peer, Counter::kPeersOverdrawn, kNotRead);
}

void Endpoint::give_up_reader(ProcessId process, std::size_t messages) {
  const Result<transport::PeerId> peer = peers_.resolve(process);
  if (!peer) return;
  log_unread(*transport_, *peer, messages, "messages that it has caused");
  give_up(*peer, Counter::kPeersOverdrawn, kNotRead);
}

// A part of what the peer has sent could not be handled, or it could not be answered.
void Endpoint::no_memory_for(transport::PeerId peer) {
  log_if_possible([&]() LINTEL_REQUIRES(kLock) {
    LINTEL_LOG(kWarn, "peer %s; given up: this process has no memory for what it has sent",
               transport_->describe(peer).c_str());
  });
  given_up_ = peer;
  give_up(peer, Counter::kPeersWithoutMemory, kNoMemory);
}

void Endpoint::give_up(transport::PeerId peer, Counter counter, Error error) {
  counters_.add(counter);
  transport_->disconnect(peer);
  on_peer_failed(peer, error);
}

void Endpoint::count_frames() {
  const transport::FrameCounts frames = transport_->frame_counts();
  counters_.raise_to(Counter::kFramesSent, frames.sent);
  counters_.raise_to(Counter::kFramesReceived, frames.received);
  counters_.raise_to(Counter::kFramesMalformed, frames.malformed);
  counters_.raise_to(Counter::kFramesDuplicate, frames.duplicates);
  counters_.raise_to(Counter::kContactsRefused, frames.refused);
  counters_.raise_to(Counter::kContactsUnproved, frames.unproved);
  counters_.raise_to(Counter::kConnectionsResumed, frames.resumed);
  counters_.raise_to(Counter::kMessagesUnacknowledged, frames.unacknowledged);
}

void Endpoint::dump(std::string& out) {
  out += "operations " + std::to_string(operations_.size()) + "\nwaiting messages " +
         std::to_string(outbox_.waiting()) + "\n";
  static constexpr const char* kRequests[] = {"put", "get", "getput"};
  operations_.for_each([&](const Operation& operation) LINTEL_REQUIRES(kLock) {
    const ProcessId name = peers_.name_of(operation.peer);
    out += "  operation " + std::to_string(operation.id.slot) + " peer " +
           std::to_string(name.nid.value) + ":" + std::to_string(name.pid.value);
    if (const PendingRequest* request = operation.request) {
      out += std::string(" ") + kRequests[static_cast<std::size_t>(request->kind)] + " length " +
             std::to_string(request->sent.length);
    }
    if (const TransferSource* source = operation.source) {
      out += " source length " + std::to_string(source->length) + " writes " +
             std::to_string(source->writes_done);
    }
    if (const TransferSink* sink = operation.sink) {
      out += " sink length " + std::to_string(sink->length) + " writes " +
             std::to_string(sink->writes_seen);
    }
    out += "\n";
  });
  transport_->dump(out);
}

}  // namespace lintel::portals
