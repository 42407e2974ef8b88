#include "mpi_layer/p2p/sends.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "mpi_layer/p2p/engine_failure.h"

namespace lintel::mpi {
namespace {

using portals::Status;
namespace option = portals::option;
using Limits = portals::TransferLimits;

}  // namespace

Sends::Sends(const SharedParts& parts) : parts_(parts), active_(std::size_t{kMaxRequestId} + 1) {}

// ---- Starts

CallError Sends::set_up(const SendArguments& arguments, SendRequest& request, bool persistent) {
  if (request.active()) return CallError::kRequest;
  if (arguments.destination != kProcNull && parts_.peers.at(arguments.destination) == nullptr) {
    return CallError::kProcess;
  }
  if (!is_context(arguments.context)) return CallError::kContext;
  if (!is_tag(arguments.tag)) return CallError::kTag;
  if (arguments.length > kMaxLength) return CallError::kLength;
  RequestEnds::set_up(request, persistent);
  set_arguments(arguments, request);
  return CallError::kNone;
}

void Sends::set_arguments(const SendArguments& arguments, SendRequest& request) {
  request.mode_ = arguments.mode;
  request.destination_ = arguments.destination;
  request.tag_ = arguments.tag;
  request.context_ = arguments.context;
  request.buffer_ = static_cast<const std::byte*>(arguments.buffer);
  request.length_ = arguments.length;
}

// Credit may have arrived. A program that only sends must also handle the answers to its messages.
bool Sends::wants_turn(const SendRequest& request) {
  const Peer* const peer = parts_.peers.at(request.destination_);
  if (peer == nullptr || peer->outside) return false;
  return !parts_.credit.allows_message(*peer) ||
         !parts_.credit.covers(*peer, part_ahead(*peer, request.length_)) || !parts_.engine.idle();
}

CallError Sends::begin(SendRequest& request) {
  if (request.mode_ == SendMode::kBuffered && request.destination_ != kProcNull) {
    return begin_buffered(request);
  }
  start(request);
  return CallError::kNone;
}

// Sends a copy, unless the message can leave whole at once.
CallError Sends::begin_buffered(SendRequest& request) {
  Peer& peer = *parts_.peers.at(request.destination_);
  if (peer.lost || goes_whole(peer, request.length_)) {
    start(request);
    if (!request.under_way()) return CallError::kNone;
    parts_.ends.undo_begin(request);  // the engine has no room after all
  }
  std::unique_ptr<Copied> copied(new (std::nothrow) Copied);
  if (copied != nullptr) copied->bytes.reset(new (std::nothrow) std::byte[request.length_]);
  if (copied == nullptr || copied->bytes == nullptr) return CallError::kNoMemory;
  if (request.length_ > 0) std::memcpy(copied->bytes.get(), request.buffer_, request.length_);
  SendRequest& own = copied->request;
  set_arguments(SendArguments{copied->bytes.get(), request.length_, request.destination_,
                              request.context_, request.tag_, SendMode::kStandard},
                own);
  own.copied_ = true;
  copied_.push_back(std::move(copied));
  start(own);
  mark_started(request);
  complete(request, RequestFailure::kNone);
  return CallError::kNone;
}

void Sends::mark_started(SendRequest& request) {
  RequestEnds::begin(request,
                     {kAnySource, request.tag_, request.length_, RequestFailure::kNone, false});
  request.stage_ = SendStage::kBacklog;
  request.cancelling_ = request.rest_exposed_ = request.placed_ = false;
}

void Sends::start(SendRequest& request) {
  mark_started(request);
  if (request.destination_ == kProcNull) return complete(request, RequestFailure::kNone);
  Peer& peer = *parts_.peers.at(request.destination_);
  if (peer.outside) return start_outside(peer, request);
  leave_or_queue(peer, request);
}

void Sends::start_outside(Peer& peer, SendRequest& request) {
  request.stage_ = SendStage::kSent;
  peer.sends.under_way.push_back(request);
  if (parts_.link.gateway == nullptr) return complete(request, RequestFailure::kPeerLost);
  const SendMode mode =
      request.mode_ == SendMode::kSynchronous ? SendMode::kSynchronous : SendMode::kStandard;
  const SendArguments message{request.buffer_,  request.length_, request.destination_,
                              request.context_, request.tag_,    mode};
  if (parts_.link.gateway->send(message, request)) complete(request, RequestFailure::kNone);
}

void Sends::relay(const SendArguments& arguments, SendRequest& request) {
  set_arguments(arguments, request);
  request.relayed_ = true;
  mark_started(request);
  leave_or_queue(*parts_.peers.at(request.destination_), request);
}

bool Sends::send_at_once(const SendArguments& arguments) {
  Peer* const peer = parts_.peers.at(arguments.destination);
  if (peer == nullptr || arguments.mode == SendMode::kSynchronous) return false;
  if (!is_context(arguments.context) || !is_tag(arguments.tag)) return false;
  if (peer->lost || !goes_whole(*peer, arguments.length) || !parts_.engine.idle()) return false;
  if (goes_placed(*peer, arguments.length, arguments.context)) return false;
  const Departure message{static_cast<const std::byte*>(arguments.buffer),
                          match_bits(arguments.context, arguments.tag), peer->numbers.next(),
                          DataHeader{PacketKind::kData, false, 0, arguments.length},
                          arguments.length};
  if (put(*peer, message) != Status::kOk) return false;
  charge(*peer, arguments.length);
  return true;
}

void Sends::leave_or_queue(Peer& peer, SendRequest& request) {
  if (peer.lost) return complete(request, RequestFailure::kPeerLost);
  if (peer.sends.backlog.empty() && try_send(peer, request)) return;
  peer.sends.backlog.push_back(request);
  parts_.watch.watch(request, peer);
  if (std::exchange(peer.sends.blocked, true)) return;
  blocked_.push_back(&peer);
  parts_.deferred_work.add();
}

// ---- Ways

// The length of the first part that is sent at once: the whole message up to the eager limit,
// except for messages longer than one segment in a stream.
std::uint64_t Sends::part_ahead(const Peer& peer, std::uint64_t length) const {
  const bool whole =
      length <= eager_limit_ && (length <= Limits::kOneSegment ||
                                 peer.numbers.sent_since_arrival() < Limits::kStreamMessages);
  return whole ? length : std::min<std::uint64_t>(eager_limit_, Limits::kFirstPart);
}

// True if the message can be sent whole now: it waits behind no other, and there is credit for all
// of it. The engine may still have no room.
bool Sends::goes_whole(const Peer& peer, std::uint64_t length) const {
  return peer.sends.backlog.empty() && parts_.credit.allows_message(peer) &&
         parts_.credit.covers(peer, length) && part_ahead(peer, length) == length;
}

bool Sends::goes_placed(const Peer& peer, std::uint64_t length, std::uint32_t context) const {
  return parts_.placement.suits(peer, length, context) && parts_.credit.covers(peer, length);
}

// False: there is no credit for its header, or no room in the engine, and nothing has changed.
bool Sends::try_send(Peer& peer, SendRequest& request) {
  if (!parts_.credit.allows_message(peer)) return false;
  if (try_place(peer, request)) return true;
  const std::uint64_t wanted = part_ahead(peer, request.length_);
  const std::uint64_t ahead = parts_.credit.covers(peer, wanted) ? wanted : 0;
  const bool rest = ahead < request.length_;
  const bool answered = rest || request.mode_ == SendMode::kSynchronous;
  DataHeader header{answered ? PacketKind::kDatasync : PacketKind::kData, rest, 0, request.length_};
  request.sequence_ = peer.numbers.next();
  if (answered) {
    const auto [place, id] = active_.create(&request);
    if (place == nullptr) return false;
    request.active_id_ = id;
    header.request_id = id.slot;
  }
  Status status = rest ? expose_rest(peer, request, ahead) : Status::kOk;
  // The acknowledgement carries the id and no pointer, because the request may have ended, and its
  // memory may be reused, before it arrives.
  if (status == Status::kOk) {
    const std::uint64_t bits = match_bits(request.context_, request.tag_);
    status = put(peer, {request.buffer_, bits, request.sequence_, header, ahead, answered,
                        request.active_id_});
  }
  if (status != Status::kOk) {
    withdraw_rest(request);
    if (answered) active_.destroy(request.active_id_);
    request.active_id_ = {};
    if (status == Status::kNoSpace) return false;
    complete(request, RequestFailure::kFailed);
    return true;
  }
  charge(peer, ahead);
  if (answered) {
    has_left(peer, request);
  } else {
    complete(request, RequestFailure::kNone);
  }
  return true;
}

// False: it cannot be placed, or not now, and nothing has changed.
bool Sends::try_place(Peer& peer, SendRequest& request) {
  // A buffered send must be complete when its call returns. A synchronous send needs an answer.
  const bool suits = request.mode_ == SendMode::kStandard || request.mode_ == SendMode::kReady;
  if (!suits || !goes_placed(peer, request.length_, request.context_)) return false;
  request.sequence_ = peer.numbers.next();
  const DataHeader header{PacketKind::kData, false, 0, request.length_};
  portals::RequestArguments put =
      put_of(peer, {request.buffer_, match_bits(request.context_, request.tag_), request.sequence_,
                    header, request.length_});
  put.user_pointer = &request;
  if (!parts_.placement.try_put(peer, put)) return false;
  charge(peer, request.length_);
  request.placed_ = true;
  has_left(peer, request);
  return true;
}

portals::RequestArguments Sends::put_of(const Peer& peer, const Departure& message) const {
  portals::RequestArguments put = parts_.engine.request_to(peer.process, kMessagePortal);
  put.local_offset = message.ahead > 0 ? reinterpret_cast<std::uintptr_t>(message.buffer) : 0;
  put.length = message.ahead;
  put.match_bits = message.match_bits;
  put.remote_offset = message.sequence;
  put.header_data = encode(message.header);
  return put;
}

Status Sends::put(const Peer& peer, const Departure& message) {
  portals::RequestArguments put = put_of(peer, message);
  put.ack = message.ack ? portals::AckRequest::kFull : portals::AckRequest::kNone;
  // A DATA send is complete when the call returns.
  put.is_volatile = message.header.kind == PacketKind::kData;
  put.user_pointer = reinterpret_cast<void*>(message.active_id.packed());
  return parts_.engine.put(put);
}

Status Sends::expose_rest(const Peer& peer, SendRequest& request, std::uint64_t ahead) {
  portals::DescriptorRules rules;
  rules.described.options =
      option::kGet | option::kStartDisable | option::kLinkDisable | option::kUnlinkDisable;
  rules.described.user_pointer = &request;
  // The engine only reads this memory.
  rules.region = portals::MemoryRegion(const_cast<std::byte*>(request.buffer_) + ahead,
                                       request.length_ - ahead);
  const portals::MatchCriteria receiver{peer.process,
                                        rest_bits(request.active_id_.slot, request.sequence_), 0};
  const Status status = parts_.engine.append(kRestPortal, portals::PortalList::kPriority, receiver,
                                             std::move(rules), true, request.rest_entry_);
  request.rest_exposed_ = status == Status::kOk;
  return status;
}

// False: the receiver's get is under way.
bool Sends::withdraw_rest(SendRequest& request) {
  if (!request.rest_exposed_ || !parts_.engine.is_open()) return true;
  if (!parts_.engine.withdraw(request.rest_entry_)) return false;
  request.rest_exposed_ = false;
  return true;
}

// A message has left with `ahead` bytes of data.
void Sends::charge(Peer& peer, std::uint64_t ahead) {
  peer.numbers.note_sent();
  parts_.credit.spend(peer, ahead);
  parts_.placement.note_change(peer);
}

// The message has left, and an event or a packet will end the send.
void Sends::has_left(Peer& peer, SendRequest& request) {
  request.stage_ = SendStage::kSent;
  if (request.is_linked()) request.unlink();
  peer.sends.under_way.push_back(request);
  parts_.watch.watch(request, peer);
}

void Sends::retry() {
  for (std::size_t i = 0; i < blocked_.size();) {
    Peer& peer = *blocked_[i];
    SendList& backlog = peer.sends.backlog;
    while (!backlog.empty() && try_send(peer, backlog.front())) {
    }
    if (backlog.empty()) {
      peer.sends.blocked = false;
      blocked_[i] = blocked_.back();
      blocked_.pop_back();
    } else {
      ++i;
    }
  }
  if (!std::exchange(copied_ended_, false)) return;
  std::erase_if(copied_,
                [](const std::unique_ptr<Copied>& copied) { return !copied->request.under_way(); });
}

// ---- Ends

void Sends::on_ack(const portals::Event& event) {
  const auto id = SlotId::unpack(reinterpret_cast<std::uintptr_t>(event.user_pointer));
  SendRequest** const place = active_.get(id);
  if (place == nullptr) return;
  SendRequest& request = **place;
  if (event.failure != portals::Failure::kNone) return end(request, failure_of(event.failure));
  if (event.list == portals::PortalList::kPriority && !request.rest_exposed_) {
    end(request, RequestFailure::kNone);
  }
}

void Sends::on_rest_pulled(const portals::Event& event) {
  SendRequest& request = *static_cast<SendRequest*>(event.user_pointer);
  request.rest_exposed_ = false;
  complete(request, failure_of(event.failure));
}

void Sends::on_placed(const portals::Event& event) {
  complete(*static_cast<SendRequest*>(event.user_pointer), failure_of(event.failure));
}

void Sends::on_answer(const Peer& peer, const Control& control) {
  SendRequest* const request = active(peer, control);
  if (request == nullptr) return;  // it has ended meanwhile
  switch (control.kind) {
    case PacketKind::kSyncack: return end(*request, RequestFailure::kNone);
    case PacketKind::kCancelyes:
      if (!request->cancelling_) return;
      request->result_.cancelled = true;
      return end(*request, RequestFailure::kNone);
    case PacketKind::kCancelno: request->cancelling_ = false; return;
    default: return;
  }
}

SendRequest* Sends::active(const Peer& peer, const Control& control) {
  SendRequest** const place = active_.find_slot(control.request_id);
  if (place == nullptr) return nullptr;
  SendRequest& request = **place;
  const bool meant =
      request.destination_ == peer.number && short_sequence(request.sequence_) == control.sequence;
  return meant && request.stage_ == SendStage::kSent ? &request : nullptr;
}

void Sends::end_outside(SendRequest& request, RequestFailure failure, bool cancelled) {
  request.result_.cancelled = cancelled;
  complete(request, failure);
}

bool Sends::cancel(SendRequest& request) {
  if (request.stage_ == SendStage::kBacklog) {
    request.result_.cancelled = true;
    complete(request, RequestFailure::kNone);
    return false;
  }
  // A placed message cannot be cancelled: its data may be in the buffer of a receive.
  if (request.cancelling_ || request.placed_) return false;
  request.cancelling_ = true;
  Peer& to = *parts_.peers.at(request.destination_);
  if (to.outside) {
    parts_.link.gateway->cancel(request);
    return false;
  }
  parts_.controls.send(to, {PacketKind::kCancel, match_bits(request.context_, request.tag_),
                            request.active_id_.slot, short_sequence(request.sequence_), 0, 0});
  return to.process == parts_.engine.self();
}

void Sends::end_lost(Peer& peer) {
  end_lost(peer.sends.backlog);
  end_lost(peer.sends.under_way);
}

void Sends::end_lost(SendList& sends) {
  for (auto next = sends.begin(); next != sends.end();) {
    SendRequest& request = *next++;
    if (request.stage_ == SendStage::kSent) {
      end(request, RequestFailure::kPeerLost);
    } else {
      complete(request, RequestFailure::kPeerLost);
    }
  }
}

// A send whose rest is being pulled ends when the pull does.
void Sends::end(SendRequest& request, RequestFailure failure) {
  if (withdraw_rest(request)) complete(request, failure);
}

void Sends::complete(SendRequest& request, RequestFailure failure) {
  if (request.active_id_.generation != 0) active_.destroy(request.active_id_);
  request.active_id_ = {};
  request.rest_entry_ = {};
  if (request.copied_) {
    copied_ended_ = true;
    parts_.deferred_work.add();
  }
  parts_.ends.end(request, failure, !request.copied_);
}

void Sends::end_all() {
  parts_.peers.for_each([this](Peer& peer) LINTEL_REQUIRES(kLock) {
    for (SendList* const list : {&peer.sends.backlog, &peer.sends.under_way}) {
      while (!list->empty()) complete(list->front(), RequestFailure::kClosed);
    }
  });
  copied_.clear();
}

}  // namespace lintel::mpi
