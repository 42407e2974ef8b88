// Receives: entries in the list of the portal of messages, what happens when one has met its message, and the pull of a long one's rest.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "mpi_layer/p2p/completion.h"
#include "mpi_layer/p2p/engine_failure.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {
namespace {

using portals::Status;
namespace option = portals::option;

}  // namespace

Refusal Messenger::check(const ReceiveArguments& arguments) {
  const bool nobody = arguments.source == kProcNull || arguments.source == kAnySource;
  if (!nobody && peers_.at(arguments.source) == nullptr) return Refusal::kProcess;
  return is_context(arguments.context) ? Refusal::kNone : Refusal::kContext;
}

void Messenger::prepare(const ReceiveArguments& arguments, Request& request) {
  request.is_send_ = false;
  request.asked_source_ = arguments.source;
  request.tag_ = arguments.tag;
  request.context_ = arguments.context;
  request.buffer_ = static_cast<std::byte*>(arguments.buffer);
  request.length_ = arguments.capacity;
}

Refusal Messenger::receive(const ReceiveArguments& arguments, Request& request) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = admit(arguments, request, false); refusal != Refusal::kNone) return refusal;
  begin_receive(request);
  finish();
  return Refusal::kNone;
}

Refusal Messenger::receive_and_wait(const ReceiveArguments& arguments, Request& request) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = admit(arguments, request, false); refusal != Refusal::kNone) return refusal;
  begin_receive(request);
  if (request.under_way()) {
    wait_until([&request] { return !request.under_way(); }, [&] { return seek(request); });
  } else {
    finish();
  }
  retire(request);
  return Refusal::kNone;
}

Refusal Messenger::init_receive(const ReceiveArguments& arguments, Request& request) {
  const MutexLock lock(process_.lock());
  return admit(arguments, request, true);
}

void Messenger::begin_receive(Request& request) {
  set_out(request);
  if (request.peer_ == kProcNull) {
    request.result_.source = kProcNull;
    return complete(request, Failure::kNone);
  }
  if (post_or_queue(request)) drain();  // what it has claimed
}

// False: it waits for room, behind others.
bool Messenger::post_or_queue(Request& request) {
  if (unposted_.empty() && post(request)) return true;
  if (Peer* const peer = peers_.at(request.peer_); peer != nullptr) watch(request, *peer);
  unposted_.push_back(request);
  chores_ = true;
  return false;
}

// False: there is no room for another entry.
bool Messenger::post(Request& request) {
  if (interface_->portals[kMessages].priority.size() >= options_.most_receives) return false;
  Peer* const peer = peers_.at(request.peer_);
  portals::DescriptorRules rules;
  rules.described.options = option::kPut | option::kTruncate | option::kStartDisable | option::kLinkDisable | option::kUnlinkDisable;
  rules.described.user_pointer = &request;
  rules.region = portals::MemoryRegion(request.buffer_, request.length_);
  const Status status = interface_->unexpected.append_entry(
      kMessages, portals::PortalList::kPriority, criteria(peer != nullptr ? peer->process : kAnyProcess, request.context_, request.tag_),
      std::move(rules), true, request.entry_);
  if (status != Status::kOk) return false;
  request.state_ = Request::State::kPosted;
  if (request.link_.is_linked()) request.link_.unlink();
  if (interface_->entries.get(request.entry_) == nullptr) return true;  // it has claimed a message; the event is there
  if (peer != nullptr) {
    peer->active.push_back(request);
    watch(request, *peer);
    if (peer->habit.welcome()) expect_next(*peer);
    if (peer->lost && interface_->entries.unlink(request.entry_) == Status::kOk) complete(request, Failure::kPeerLost);
  } else {
    any_source_.push_back(request);
  }
  return true;
}

// A message has come, to a receive or unexpected. Of a process that is not in the table yet it is as if its credit were still out: more room than is needed
// is kept.
void Messenger::note_arrival(Peer& peer, const portals::Event& event) {
  if (peer.outside) return;
  granted_ -= static_cast<std::int64_t>(event.requested_length);
  if (std::exchange(peer.probed, false)) unwatch(peer);
  if (peer.landing != nullptr || decode_message(event.header_data).length >= kLeastParcel) judge_arrival(peer, event);
  peer.sent_before_arrival = peer.sequence;
  const std::uint64_t before = std::exchange(peer.arrived, event.remote_offset);
  if (before == 0 || event.remote_offset == before + 1 || std::exchange(peer.gap_told, true)) [[likely]] {
    return;
  }
  LINTEL_LOG(kError,
             "messages of process %d have been refused here for want of room, the last before its number %llu: all processes of a job must "
             "have the "
             "same LINTEL_MPI_UNEXPECTED, LINTEL_MAX_UNEXPECTED and LINTEL_EAGER_LIMIT",
             peer.number, static_cast<unsigned long long>(event.remote_offset));
}

// One that arrives, to a receive or unexpected, or one that was unexpected and is claimed.
void Messenger::on_message(const portals::Event& event) {
  Peer* const peer = peers_.find(event.initiator);
  if (event.kind == portals::EventKind::kPutEnd) {
    if (peer != nullptr) note_arrival(*peer, event);
    if (event.list != portals::PortalList::kPriority) return unexpected_.on_arrival(event);
  }
  on_matched(peer, event);
}

void Messenger::on_matched(Peer* peer, const portals::Event& event) {
  Request& request = *static_cast<Request*>(event.user_pointer);
  const bool claimed = event.kind == portals::EventKind::kPutOverflow;
  if (peer == nullptr || event.failure != portals::Failure::kNone) [[unlikely]] {
    // A stranger's, or one that broke off while it landed: the receive goes on.
    if (claimed) unexpected_.release(event);
    if (!post(request)) {
      if (request.link_.is_linked()) request.link_.unlink();
      request.state_ = Request::State::kUnposted;
      unposted_.push_front(request);
      chores_ = true;
    }
    return;
  }
  owe(*peer, event.requested_length);
  request.landed_ = std::min(event.requested_length, request.length_);
  if (claimed) {
    if (request.landed_ > 0) std::memcpy(request.buffer_, event.start, request.landed_);
    unexpected_.release(event);
  }
  MessageHeader header = decode_message(event.header_data);
  header.length = header.kind == PacketKind::kData ? event.requested_length : std::max(header.length, event.requested_length);
  request.result_.tag = tag_of(event.match_bits);
  matched(request, *peer, header, event.remote_offset, claimed);
}

// The message is the request's, what has come of it is in place. `tell_sender`: a synchronous one waits to hear of it.
void Messenger::matched(Request& request, Peer& peer, const MessageHeader& header, std::uint64_t sequence, bool tell_sender) {
  unwatch(request);
  if (request.link_.is_linked()) request.link_.unlink();
  request.peer_ = peer.number;
  request.result_.source = peer.number;
  request.result_.length = header.length;
  if (header.length > request.length_) request.result_.failure = Failure::kTruncated;
  if (peer.outside) return receive_outside(request, peer, sequence);
  request.to_pull_ = header.rest_follows ? std::min(header.length, request.length_) - request.landed_ : 0;
  if (request.to_pull_ > 0) {
    request.request_id_ = header.request_id;
    request.sequence_ = sequence;
    request.state_ = Request::State::kUnpulled;
    if (!unpulled_.empty() || !try_pull(request)) {
      unpulled_.push_back(request);
      chores_ = true;
    }
    return;
  }
  const bool waits = header.kind == PacketKind::kDatasync && (header.rest_follows || tell_sender);
  if (waits) tell(peer, {PacketKind::kSyncack, 0, header.request_id, short_sequence(sequence), 0, 0});
  complete(request, request.result_.failure);
}

// False: the engine has no room for another operation. True: it is on its way, or has ended.
bool Messenger::try_pull(Request& request) {
  Peer& peer = *peers_.at(request.peer_);
  if (peer.lost) {
    complete(request, Failure::kPeerLost);
    return true;
  }
  portals::RequestArguments get;
  get.descriptor = everything_;
  get.whole_descriptor = false;
  get.local_offset = reinterpret_cast<std::uintptr_t>(request.buffer_ + request.landed_);
  get.length = request.to_pull_;
  get.target = peer.process;
  get.portal_index = kRests;
  get.match_bits = rest_bits(request.request_id_, request.sequence_);
  get.user_pointer = &request;
  if (process_.endpoint().get(*interface_, get) != Status::kOk) return false;
  request.state_ = Request::State::kPulling;
  if (request.link_.is_linked()) request.link_.unlink();
  peer.active.push_back(request);
  return true;
}

void Messenger::on_pulled(const portals::Event& event) {
  Request& request = *static_cast<Request*>(event.user_pointer);
  Failure failure = failure_of(event.failure);
  if (failure == Failure::kNone && event.manipulated_length != request.to_pull_) failure = Failure::kFailed;
  complete(request, failure == Failure::kNone ? request.result_.failure : failure);
}

Refusal Messenger::receive_matched(MatchedMessage& message, void* buffer, std::uint64_t capacity, Request& request) {
  const MutexLock lock(process_.lock());
  if (request.active()) return Refusal::kRequest;
  const Result& envelope = message.envelope_;
  const bool nobody = envelope.source == kProcNull;
  if (!message.held_) return Refusal::kMessage;
  request.persistent_ = false;
  prepare(ReceiveArguments{buffer, capacity, envelope.source, message.context_, envelope.tag}, request);
  message.held_ = false;
  if (nobody) {
    begin_receive(request);
  } else {
    request.active_ = true;
    request.state_ = Request::State::kPosted;
    request.peer_ = envelope.source;
    request.result_ = {};
    request.result_.tag = envelope.tag;
    request.landed_ = std::min(message.ahead_, capacity);
    if (request.landed_ > 0) std::memcpy(buffer, message.bytes_.get(), request.landed_);
    message.bytes_.reset();
    matched(request, *peers_.at(envelope.source), message.header_, message.sequence_, true);
  }
  finish();
  return Refusal::kNone;
}

}  // namespace lintel::mpi
