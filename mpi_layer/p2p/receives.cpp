#include "mpi_layer/p2p/receives.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "mpi_layer/p2p/engine_failure.h"

namespace lintel::mpi {
namespace {

using portals::Status;
namespace option = portals::option;

}  // namespace

Receives::Receives(const SharedParts& parts, UnexpectedBlocks& unexpected_blocks,
                   std::uint32_t most_posted)
    : parts_(parts), unexpected_blocks_(unexpected_blocks), most_posted_(most_posted) {}

// ---- Starts

CallError Receives::check(std::int32_t source, std::uint32_t context) {
  const bool nobody = source == kProcNull || source == kAnySource;
  if (!nobody && parts_.peers.at(source) == nullptr) return CallError::kProcess;
  return is_context(context) ? CallError::kNone : CallError::kContext;
}

CallError Receives::set_up(const ReceiveArguments& arguments, ReceiveRequest& request,
                           bool persistent) {
  if (request.active()) return CallError::kRequest;
  if (const CallError error = check(arguments.source, arguments.context);
      error != CallError::kNone) {
    return error;
  }
  RequestEnds::set_up(request, persistent);
  set_arguments(arguments, request);
  return CallError::kNone;
}

CallError Receives::start(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const CallError error = set_up(arguments, request, false);
  if (error == CallError::kNone) begin(request);
  return error;
}

void Receives::set_arguments(const ReceiveArguments& arguments, ReceiveRequest& request) {
  request.asked_source_ = arguments.source;
  request.asked_tag_ = arguments.tag;
  request.context_ = arguments.context;
  request.buffer_ = static_cast<std::byte*>(arguments.buffer);
  request.capacity_ = arguments.capacity;
}

void Receives::mark_started(ReceiveRequest& request) {
  RequestEnds::begin(request, {});
  request.stage_ = ReceiveStage::kUnposted;
}

void Receives::begin(ReceiveRequest& request) {
  mark_started(request);
  if (request.asked_source_ == kProcNull) {
    request.result_.source = kProcNull;
    return complete(request, RequestFailure::kNone);
  }
  post_or_queue(request);
}

void Receives::relay(const ReceiveArguments& arguments, ReceiveRequest& request) {
  set_arguments(arguments, request);
  request.relayed_ = true;
  mark_started(request);
  post_or_queue(request);
}

CallError Receives::begin_matched(MatchedMessage& message, void* buffer, std::uint64_t capacity,
                                  ReceiveRequest& request) {
  if (request.active()) return CallError::kRequest;
  if (!message.held_) return CallError::kMessage;
  const MessageResult& envelope = message.envelope_;
  RequestEnds::set_up(request, false);
  set_arguments(ReceiveArguments{buffer, capacity, envelope.source, message.context_, envelope.tag},
                request);
  message.held_ = false;
  if (envelope.source == kProcNull) {
    begin(request);
    return CallError::kNone;
  }
  mark_started(request);
  request.stage_ = ReceiveStage::kPosted;
  request.result_.tag = envelope.tag;
  request.landed_ = std::min(message.ahead_, capacity);
  if (request.landed_ > 0) std::memcpy(buffer, message.bytes_.get(), request.landed_);
  message.bytes_.reset();
  matched(request, *parts_.peers.at(envelope.source), message.header_, message.sequence_, true);
  return CallError::kNone;
}

portals::MatchCriteria Receives::wanted_by(const ReceiveRequest& request) {
  const Peer* const peer = parts_.peers.at(request.asked_source_);
  return criteria(peer != nullptr ? peer->process : kAnyProcess, request.context_,
                  request.asked_tag_);
}

// Queues it behind others if the engine has no room.
void Receives::post_or_queue(ReceiveRequest& request) {
  if (unposted_.empty() && post(request)) return;
  if (Peer* const peer = parts_.peers.at(request.asked_source_); peer != nullptr) {
    parts_.watch.watch(request, *peer);
  }
  unposted_.push_back(request);
  parts_.deferred_work.add();
}

// False: there is no room for another entry.
bool Receives::post(ReceiveRequest& request) {
  if (parts_.engine.posted() >= most_posted_) return false;
  portals::DescriptorRules rules;
  rules.described.options = option::kPut | option::kTruncate | option::kStartDisable |
                            option::kLinkDisable | option::kUnlinkDisable;
  rules.described.user_pointer = &request;
  rules.region = portals::MemoryRegion(request.buffer_, request.capacity_);
  if (parts_.engine.append(kMessagePortal, portals::PortalList::kPriority, wanted_by(request),
                           std::move(rules), true, request.entry_) != Status::kOk) {
    return false;
  }
  request.stage_ = ReceiveStage::kPosted;
  if (request.is_linked()) request.unlink();
  if (!parts_.engine.has(request.entry_)) return true;  // it has claimed a message
  Peer* const peer = parts_.peers.at(request.asked_source_);
  if (peer == nullptr) {
    any_source_.push_back(request);
    return true;
  }
  peer->receives.under_way.push_back(request);
  parts_.watch.watch(request, *peer);
  parts_.placement.note_change(*peer);
  if (peer->lost && parts_.engine.withdraw(request.entry_))
    complete(request, RequestFailure::kPeerLost);
  return true;
}

// Posts it again, before receives that wait for room.
void Receives::repost(ReceiveRequest& request) {
  if (post(request)) return;
  if (request.is_linked()) request.unlink();
  request.stage_ = ReceiveStage::kUnposted;
  unposted_.push_front(request);
  parts_.deferred_work.add();
}

bool Receives::awaits(const portals::UnexpectedMessage& message) {
  return std::ranges::any_of(unposted_, [&](const ReceiveRequest& request) LINTEL_REQUIRES(kLock) {
    return wanted_by(request).admits(message.initiator, message.match_bits);
  });
}

// ---- Messages

// Not called for a process that is not in the table yet. Its message does not reduce
// CreditLedger::granted_, so more room than needed is kept.
void Receives::note_arrival(Peer& peer, const portals::Event& event) {
  if (peer.outside) return;
  parts_.credit.note_arrival(event.requested_length);
  parts_.watch.note_arrival(peer);
  const bool is_long = decode_message(event.header_data).length >= EagerPlacement::kLeast;
  if (peer.placement.expects != nullptr || is_long) parts_.placement.judge_arrival(peer, event);
  if (peer.numbers.note_arrival(event.remote_offset)) [[likely]] {
    return;
  }
  if (std::exchange(peer.receives.gap_logged, true)) return;
  LINTEL_LOG(kError,
             "messages of process %d have been refused here for want of room, the last before its "
             "number %llu: all processes of a job must have the same LINTEL_MPI_UNEXPECTED, "
             "LINTEL_MAX_UNEXPECTED and LINTEL_EAGER_LIMIT",
             peer.number, static_cast<unsigned long long>(event.remote_offset));
}

void Receives::on_message(const portals::Event& event) {
  Peer* const peer = parts_.peers.find(event.initiator);
  if (event.kind == portals::EventKind::kPutEnd) {
    if (peer != nullptr) note_arrival(*peer, event);
    if (event.list != portals::PortalList::kPriority) return unexpected_blocks_.on_arrival(event);
  }
  on_matched(peer, event);
}

void Receives::on_matched(Peer* peer, const portals::Event& event) {
  ReceiveRequest& request = *static_cast<ReceiveRequest*>(event.user_pointer);
  const bool claimed = event.kind == portals::EventKind::kPutOverflow;
  if (peer == nullptr || event.failure != portals::Failure::kNone) [[unlikely]] {
    // The sender is not in the table, or was lost before all of the message arrived. The receive
    // stays posted.
    if (claimed) unexpected_blocks_.release(event);
    return repost(request);
  }
  release(*peer, event.requested_length);
  request.landed_ = std::min(event.requested_length, request.capacity_);
  if (claimed) {
    if (request.landed_ > 0) std::memcpy(request.buffer_, event.start, request.landed_);
    unexpected_blocks_.release(event);
  }
  DataHeader header = decode_message(event.header_data);
  header.length = header.kind == PacketKind::kData
                      ? event.requested_length
                      : std::max(header.length, event.requested_length);
  request.result_.tag = tag_of(event.match_bits);
  matched(request, *peer, header, event.remote_offset, claimed);
}

void Receives::release(Peer& sender, std::uint64_t bytes_ahead) {
  if (sender.outside) {
    --sender.delivered;
  } else {
    parts_.credit.owe(sender, bytes_ahead);
  }
}

// The request has matched a message, and the data that came with it are in the buffer.
// `acknowledge`: a synchronous sender waits for SYNCACK.
void Receives::matched(ReceiveRequest& request, Peer& peer, const DataHeader& header,
                       std::uint64_t sequence, bool acknowledge) {
  parts_.watch.unwatch(request);
  if (request.is_linked()) request.unlink();
  request.result_.source = peer.number;
  request.result_.length = header.length;
  if (header.length > request.capacity_) request.result_.failure = RequestFailure::kTruncated;
  if (peer.outside) return matched_outside(request, peer, sequence);
  request.to_pull_ =
      header.rest_follows ? std::min(header.length, request.capacity_) - request.landed_ : 0;
  if (request.to_pull_ > 0) {
    request.rest_id_ = header.request_id;
    request.sequence_ = sequence;
    return pull_or_queue(peer, request);
  }
  const bool waits = header.kind == PacketKind::kDatasync && (header.rest_follows || acknowledge);
  if (waits) {
    parts_.controls.send(
        peer, {PacketKind::kSyncack, 0, header.request_id, short_sequence(sequence), 0, 0});
  }
  complete(request, request.result_.failure);
}

// No data of the message are in the buffer yet.
void Receives::matched_outside(ReceiveRequest& request, Peer& peer, std::uint64_t sequence) {
  request.stage_ = ReceiveStage::kPulling;
  peer.receives.under_way.push_back(request);
  if (parts_.link.gateway == nullptr) return complete(request, RequestFailure::kPeerLost);
  const std::uint64_t room = std::min(request.capacity_, request.result_.length);
  parts_.link.gateway->receive(peer.number, sequence, {request.buffer_, room}, request);
}

// Queues it behind others from that peer if the engine has no room.
void Receives::pull_or_queue(Peer& peer, ReceiveRequest& request) {
  request.stage_ = ReceiveStage::kUnpulled;
  ControlPackets::begin_pull(peer);
  if (peer.receives.unpulled.empty() && try_pull(peer, request)) return;
  peer.receives.unpulled.push_back(request);
  if (!std::exchange(peer.receives.blocked, true)) blocked_.push_back(&peer);
  parts_.deferred_work.add();
}

// False: the engine has no room for another operation. True: the get has started, or the request
// has ended.
bool Receives::try_pull(Peer& peer, ReceiveRequest& request) {
  if (peer.lost) {
    complete(request, RequestFailure::kPeerLost);
    return true;
  }
  portals::RequestArguments get = parts_.engine.request_to(peer.process, kRestPortal);
  get.local_offset = reinterpret_cast<std::uintptr_t>(request.buffer_ + request.landed_);
  get.length = request.to_pull_;
  get.match_bits = rest_bits(request.rest_id_, request.sequence_);
  get.user_pointer = &request;
  if (parts_.engine.get(get) != Status::kOk) return false;
  request.stage_ = ReceiveStage::kPulling;
  if (request.is_linked()) request.unlink();
  peer.receives.under_way.push_back(request);
  return true;
}

void Receives::on_pulled(const portals::Event& event) {
  ReceiveRequest& request = *static_cast<ReceiveRequest*>(event.user_pointer);
  RequestFailure failure = failure_of(event.failure);
  if (failure == RequestFailure::kNone && event.manipulated_length != request.to_pull_) {
    failure = RequestFailure::kFailed;
  }
  complete(request, failure == RequestFailure::kNone ? request.result_.failure : failure);
}

void Receives::on_cancel(Peer& sender, const Control& control) {
  const portals::MatchCriteria wanted{sender.process, control.match_bits, 0};
  portals::UnexpectedMessage* const found =
      parts_.engine.find_unexpected(wanted, [&](const portals::UnexpectedMessage& message) {
        const DataHeader sent = decode_message(message.event.header_data);
        return message.landed && sent.kind == PacketKind::kDatasync &&
               sent.request_id == control.request_id &&
               short_sequence(message.event.remote_offset) == control.sequence;
      });
  if (found != nullptr) {
    release(sender, found->event.requested_length);
    unexpected_blocks_.consume(*found);
  }
  const PacketKind answer = found != nullptr ? PacketKind::kCancelyes : PacketKind::kCancelno;
  parts_.controls.send(sender, {answer, 0, control.request_id, control.sequence, 0, 0});
}

void Receives::retry() {
  std::erase_if(blocked_, [this](Peer* peer) LINTEL_REQUIRES(kLock) {
    ReceiveList& unpulled = peer->receives.unpulled;
    while (!unpulled.empty() && try_pull(*peer, unpulled.front())) {
    }
    peer->receives.blocked = !unpulled.empty();
    return !peer->receives.blocked;
  });
  while (!unposted_.empty() && post(unposted_.front())) {
  }
}

// ---- Ends

void Receives::end_outside(ReceiveRequest& request, RequestFailure failure) {
  complete(request, failure == RequestFailure::kNone ? request.result_.failure : failure);
}

void Receives::cancel(ReceiveRequest& request) {
  switch (request.stage_) {
    case ReceiveStage::kUnposted: break;
    case ReceiveStage::kPosted: {
      Peer* const peer = parts_.peers.at(request.asked_source_);
      const bool forgotten = peer == nullptr || parts_.placement.forget(*peer, request);
      if (!forgotten || !parts_.engine.withdraw(request.entry_)) return;  // its message is arriving
      break;
    }
    default: return;  // matched
  }
  request.result_.cancelled = true;
  complete(request, RequestFailure::kNone);
}

void Receives::end_lost(Peer& peer) {
  end_lost(peer.receives.under_way, nullptr);
  end_lost(peer.receives.unpulled, nullptr);
  end_lost(any_source_, nullptr);
  end_lost(unposted_, &peer);
}

// Ends those receives that wait for `peer`; null: all. A receive into which the engine is moving
// data ends with that operation.
void Receives::end_lost(ReceiveList& receives, const Peer* peer) {
  for (auto next = receives.begin(); next != receives.end();) {
    ReceiveRequest& request = *next++;
    const std::int32_t source = request.asked_source_;
    if (peer != nullptr && source != peer->number && source != kAnySource) continue;
    switch (request.stage_) {
      case ReceiveStage::kPosted:
        if (parts_.engine.withdraw(request.entry_)) complete(request, RequestFailure::kPeerLost);
        break;
      case ReceiveStage::kPulling: break;
      default: complete(request, RequestFailure::kPeerLost); break;
    }
  }
}

void Receives::complete(ReceiveRequest& request, RequestFailure failure) {
  request.entry_ = {};
  if (std::exchange(request.to_pull_, 0) > 0)
    ControlPackets::end_pull(*parts_.peers.at(request.result_.source));
  parts_.ends.end(request, failure);
}

void Receives::end_all() {
  const auto end = [this](ReceiveList& receives) LINTEL_REQUIRES(kLock) {
    while (!receives.empty()) complete(receives.front(), RequestFailure::kClosed);
  };
  parts_.peers.for_each([&](Peer& peer) LINTEL_REQUIRES(kLock) {
    end(peer.receives.under_way);
    end(peer.receives.unpulled);
    peer.receives.blocked = false;
  });
  blocked_.clear();
  end(any_source_);
  end(unposted_);
}

}  // namespace lintel::mpi
