#include "portals/engine/endpoint.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace lintel::portals {

Endpoint::Endpoint(std::unique_ptr<transport::Transport> transport, const EndpointOptions& options, Counters& counters)
    : transport_(std::move(transport)),
      eager_limit_(std::min(options.eager_limit, transport_->attributes().max_message_bytes - sizeof(wire::Response))),
      atomic_limit_(
          std::min(std::max(options.eager_limit, kLeastAtomicLimit), transport_->attributes().max_message_bytes - sizeof(wire::Request))),
      counters_(counters),
      outbox_(*transport_, counters),
      max_operations_(std::min(options.max_operations, kMaxOperationLimit / 2)),
      operations_(2 * max_operations_) {}

Endpoint::~Endpoint() {
  for (NetworkInterface* interface : interfaces_) LINTEL_ASSERT(interface == nullptr);
  // Answers to live peers that never got room: nobody here waits for them.
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    fail_peer(transport::PeerId(static_cast<std::uint32_t>(peer)), Failure::kShutdown);
  }
  // A peer that was only ever answered has no operations; its answers may wait all the same.
  outbox_.fail_all(Failure::kShutdown);
  waiters_.clear_and_dispose([](Waiter* waiter) { waiter->endpoint_gone = true; });
}

Status Endpoint::add_waiter(Waiter& waiter, ProcessId process) {
  const Result<transport::PeerId> peer = resolve(process);
  if (!peer) return Status::kProcessInvalid;
  waiter.peer = *peer;
  transport_->watch(*peer, true);
  waiters_.push_back(waiter);
  return Status::kOk;
}

void Endpoint::remove_waiter(Waiter& waiter) {
  transport_->watch(waiter.peer, false);
  waiters_.erase(waiters_.iterator_to(waiter));
}

void Endpoint::attach(NetworkInterface& interface) {
  LINTEL_ASSERT(interface.kind() < kMaxInterfaces && interfaces_[interface.kind()] == nullptr);
  interfaces_[interface.kind()] = &interface;
  traffic_[interface.kind()].closing = false;
}

void Endpoint::detach(NetworkInterface& interface) {
  LINTEL_ASSERT(interfaces_[interface.kind()] == &interface);
  outbox_.withdraw(interface.kind(), Failure::kShutdown);
  for (auto& peer : peers_) {
    if (!peer) continue;
    for (auto next = peer->operations.begin(); next != peer->operations.end();) {
      Operation& record = *next++;
      if (record.interface_kind != interface.kind()) continue;
      if (!ending_) tell_cut(record);
      fail_operation(record, Failure::kShutdown);
    }
  }
  interfaces_[interface.kind()] = nullptr;
}

// The other side of an operation that ends before its time waits for something that will not come. Of those that are not named here it either keeps no
// record, or says something still, which is answered then.
void Endpoint::tell_cut(const Operation& record) {
  if (record.role == Operation::Role::kSink) {
    refuse_data(record, Failure::kNoInterface);
  } else if (record.source == Operation::Source::kWriting && !record.parcel) {
    discard(record.peer, record.receiver_token);
  }
}

void Endpoint::begin_closing(const NetworkInterface& interface, bool last) {
  traffic_[interface.kind()].closing = true;
  ending_ = last;
}

bool Endpoint::drained(const NetworkInterface& interface) const {
  return outbox_.waiting_of(interface.kind()) == 0 && traffic_[interface.kind()].moving == 0 && !interface.triggers.has_due();
}

std::uint64_t Endpoint::moved(const NetworkInterface& interface) const {
  return outbox_.left_of(interface.kind()) + traffic_[interface.kind()].writes_done + traffic_[interface.kind()].fired;
}

void Endpoint::begin_moving(Operation& record) {
  record.moving = true;
  ++traffic_[record.interface_kind].moving;
}

void Endpoint::end_moving(Operation& record) {
  if (std::exchange(record.moving, false)) --traffic_[record.interface_kind].moving;
}

Result<transport::PeerId> Endpoint::resolve(ProcessId process) {
  if (last_peer_ != transport::kNoPeer && process == last_resolved_) return last_peer_;
  const Result<transport::PeerId> peer = transport_->resolve(process);
  if (peer) {
    last_resolved_ = process;
    last_peer_ = *peer;
  }
  return peer;
}

Endpoint::Peer& Endpoint::peer_state(transport::PeerId peer) {
  if (peer.value >= peers_.size()) peers_.resize(std::size_t{peer.value} + 1);
  if (!peers_[peer.value]) peers_[peer.value] = std::make_unique<Peer>();
  return *peers_[peer.value];
}

Operation* Endpoint::create_operation(Operation::Role role, transport::PeerId peer, std::uint8_t interface_kind) {
  const bool own = role == Operation::Role::kPut || role == Operation::Role::kGet || role == Operation::Role::kGetPut;
  // Each sort has room of its own: what others want here does not end because this process wants much elsewhere.
  if ((own ? own_operations_ : operations_.size() - own_operations_) >= max_operations_) return nullptr;
  const auto [record, id] = operations_.create(role, peer, interface_kind);
  if (record == nullptr) return nullptr;
  record->id = id;
  record->own = own;
  if (own) ++own_operations_;
  Peer& state = peer_state(peer);
  if (state.operations.empty()) transport_->watch(peer, true);
  state.operations.push_back(*record);
  return record;
}

void Endpoint::destroy_operation(Operation& record) {
  end_moving(record);
  Peer& state = peer_state(record.peer);
  state.operations.erase(state.operations.iterator_to(record));
  if (state.operations.empty()) transport_->watch(record.peer, false);
  if (record.pins) {
    NetworkInterface& interface = *interface_of(record);
    if (MemoryDescriptor* descriptor = interface.descriptors.get({record.request.md_handle, record.request.md_generation})) {
      descriptor->end(record.awaits());
    }
  }
  if (record.own) --own_operations_;
  operations_.destroy(record.id);
}

Operation* Endpoint::operation(std::uint64_t token, transport::PeerId peer) {
  Operation* record = operations_.get(SlotId::unpack(token));
  return record != nullptr && record->peer == peer ? record : nullptr;
}

void Endpoint::fail_operation(Operation& record, Failure failure) {
  release_memory(record);
  const bool source_open = record.completion.interface != nullptr;
  close_completion(record, failure);
  switch (record.role) {
    case Operation::Role::kPut:
      // A put whose data did not leave has said so with its SEND_END; one that waits for its ACK says so in the ACK's place.
      if (record.acknowledged) {
        log_ack(record, record.answer, Failure::kNone);
      } else {
        log_no_ack(record, failure, source_open);
      }
      break;
    case Operation::Role::kGet:
    case Operation::Role::kGetPut: log_reply(record, 0, failure); break;
    case Operation::Role::kReplySource:
    case Operation::Role::kSink: break;
  }
  destroy_operation(record);
}

// Logs the END event of what is still open. An ACK that has come knows better than a write that has failed or not ended: the data are there, unless
// it tells of a failure itself.
void Endpoint::close_completion(Operation& record, Failure failure) {
  if (record.completion.interface == nullptr) return;
  const bool arrived = record.acknowledged && record.answer.failure == 0;
  record.completion.interface->close(record.completion, arrived ? Failure::kNone : failure);
}

// A warning only if somebody loses something by it, and once until the peer is heard again: a peer that has simply finished is no news, nor that it is not
// there for the next operation either.
void Endpoint::tell_lost(transport::PeerId peer) {
  Peer& state = peer_state(peer);
  const bool loses_something = outbox_.waits_for(peer) || !state.operations.empty();
  const LogLevel level = loses_something && !state.told_lost ? LogLevel::kWarn : LogLevel::kInfo;
  if (log_enabled(level)) write_log(level, "peer %s", transport_->describe(peer).c_str());
  if (!loses_something || state.told_lost) return;
  state.told_lost = true;
  ++told_lost_;
}

void Endpoint::heard_again(transport::PeerId peer) {
  if (std::exchange(peer_state(peer).told_lost, false)) --told_lost_;
}

void Endpoint::on_peer_failed(transport::PeerId peer, Error) {
  counters_.add(Counter::kPeerFailures);
  tell_lost(peer);
  fail_peer(peer, Failure::kPeerDead);
  for (NetworkInterface* interface : interfaces_) {
    if (interface != nullptr) interface->events.peer_lost(transport_->name_of(peer));
  }
}

void Endpoint::watch(ProcessId process, bool watched) {
  const Result<transport::PeerId> peer = resolve(process);
  LINTEL_ASSERT(peer.ok());
  transport_->watch(*peer, watched);
}

void Endpoint::fail_peer(transport::PeerId peer, Failure failure) {
  for (Waiter& waiter : waiters_) waiter.peer_lost |= waiter.peer == peer;
  outbox_.fail_peer(peer, failure, [this, failure](SlotId id) {
    Operation* record = operations_.get(id);
    // The put's SEND_END has told it already; the others are told below.
    if (record != nullptr && record->role == Operation::Role::kPut && record->source == Operation::Source::kNone) {
      log_no_ack(*record, failure, true);
      destroy_operation(*record);
    }
  });
  if (peer.value >= peers_.size() || !peers_[peer.value]) return;
  OperationList& list = peers_[peer.value]->operations;
  while (!list.empty()) fail_operation(list.front(), failure);
}

TimePoint Endpoint::next_deadline() const {
  constexpr Nanoseconds kRoomRetry = std::chrono::milliseconds(1);
  const TimePoint deadline = transport_->next_deadline();
  return waiting_for_room_.empty() ? deadline : std::min(deadline, last_poll_ + kRoomRetry);
}

// The transport has had its turn: what had no room before may have some now.
std::size_t Endpoint::turn(std::size_t happened, TimePoint now) {
  last_poll_ = now;
  if (!outbox_.idle()) happened += outbox_.retry();
  if (!waiting_for_room_.empty()) {
    std::vector<SlotId> sources;
    sources.swap(waiting_for_room_);
    for (const SlotId id : sources) {
      Operation* source = operations_.get(id);
      if (source == nullptr) continue;
      source->waits_for_room = false;
      post_writes(*source);
    }
  }
  return happened;
}

void Endpoint::count_frames() {
  const transport::FrameCounts frames = transport_->frame_counts();
  counters_.raise_to(Counter::kFramesSent, frames.sent);
  counters_.raise_to(Counter::kFramesReceived, frames.received);
  counters_.raise_to(Counter::kFramesMalformed, frames.malformed);
  counters_.raise_to(Counter::kFramesDuplicate, frames.duplicates);
}

void Endpoint::on_message_left(transport::PeerId) {}

void Endpoint::dump(std::string& out) {
  out += "operations " + std::to_string(operations_.size()) + "\nwaiting messages " + std::to_string(outbox_.waiting()) + "\n";
  static constexpr const char* kRoles[] = {"put", "get", "getput", "reply source", "sink"};
  operations_.for_each([&](SlotId id, Operation& record) {
    const ProcessId name = transport_->name_of(record.peer);
    out += "  operation " + std::to_string(id.slot) + " " + kRoles[static_cast<std::size_t>(record.role)] + " peer " +
           std::to_string(name.nid.value) + ":" + std::to_string(name.pid.value) + " length " +
           std::to_string(record.role == Operation::Role::kSink ? record.length : record.request.length) + " writes " +
           std::to_string(record.role == Operation::Role::kSink ? record.writes_seen : record.writes_done) + "\n";
  });
  transport_->dump(out);
}

}  // namespace lintel::portals
