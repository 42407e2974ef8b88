// Sends: which protocol a message takes, and what ends it.
//
//   up to the eager limit, not synchronous   DATA: a put with all bytes; complete when the engine has taken them (part_ahead() tells the exception)
//   long answers, not synchronous, to a receiver that welcomes parcels   DATA as a parcel (parcels.cpp); complete when the transport has taken it
//   up to the eager limit, synchronous       DATASYNC: a put with an acknowledgement. Complete when that says that a posted receive took it, else by SYNCACK
//   longer, or without credit for its bytes  DATASYNC: a put with the first part, or none of it. The receiver gets the rest, which is exposed in an entry of its
//                                            own; complete when it has got it, or by SYNCACK if it wants none. The acknowledgement tells only of a refusal

#include <algorithm>
#include <cstring>
#include <new>

#include "mpi_layer/p2p/copied.h"
#include "mpi_layer/p2p/engine_failure.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {
namespace {

using portals::Status;
namespace option = portals::option;

// Of a longer message. It is copied twice, and the rest is not: no more than makes the rest of a power of two fit into whole segments of TCP over loopback
// (65,483 bytes), where a few bytes more cost a segment and the receiver a system call of their own.
constexpr std::uint64_t kFirstPart = 2048;

// A longer one has no room in one such segment beside its headers. To send it whole is the quicker way all the same, but in a stream, where nobody waits for
// the exchange that the other way takes: the fifth such message goes that way if nothing has come from its receiver since the first.
constexpr std::uint64_t kOneSegment = 65'000;
constexpr std::uint64_t kStream = 4;

}  // namespace

;

Refusal Messenger::check(const SendArguments& arguments) {
  if (arguments.destination != kProcNull && peers_.at(arguments.destination) == nullptr) return Refusal::kProcess;
  if (!is_context(arguments.context)) return Refusal::kContext;
  if (!is_tag(arguments.tag)) return Refusal::kTag;
  return arguments.length <= kMaxLength ? Refusal::kNone : Refusal::kLength;
}

void Messenger::prepare(const SendArguments& arguments, Request& request) {
  request.is_send_ = true;
  request.mode_ = arguments.mode;
  request.peer_ = arguments.destination;
  request.tag_ = arguments.tag;
  request.context_ = arguments.context;
  // Only ever read from.
  request.buffer_ = const_cast<std::byte*>(static_cast<const std::byte*>(arguments.buffer));
  request.length_ = arguments.length;
}

Refusal Messenger::send(const SendArguments& arguments, Request& request, bool* over) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = admit(arguments, request, false); refusal != Refusal::kNone) return refusal;
  const Refusal refusal = begin_send(request);
  if (is_parcel(request)) {
    turn();  // the network has mostly taken all of it by now: to ask spares its sender a wait
  } else {
    finish();
  }
  if (over != nullptr) {
    *over = refusal == Refusal::kNone && !request.under_way() && request.result_.failure == Failure::kNone;
    if (*over) retire(request);
  }
  return refusal;
}

bool Messenger::send_at_once(const SendArguments& arguments) {
  const MutexLock lock(process_.lock());
  Peer* const peer = peers_.at(arguments.destination);
  if (peer == nullptr || arguments.mode == SendMode::kSynchronous || !is_context(arguments.context) || !is_tag(arguments.tag)) return false;
  if (peer->lost || !goes_whole(*peer, arguments.length) || !process_.endpoint().idle()) return false;
  if (goes_as_parcel(*peer, arguments.length, arguments.context)) return false;
  const Departure message{static_cast<const std::byte*>(arguments.buffer), match_bits(arguments.context, arguments.tag), peer->sequence + 1,
                          MessageHeader{PacketKind::kData, false, 0, arguments.length}, arguments.length};
  if (put_message(*peer, message) != Status::kOk) return false;
  charge(*peer, arguments.length);
  finish();
  return true;
}

Refusal Messenger::init_send(const SendArguments& arguments, Request& request) {
  const MutexLock lock(process_.lock());
  return admit(arguments, request, true);
}

Refusal Messenger::start(Request& request) {
  const MutexLock lock(process_.lock());
  if (request.active() || !request.persistent_) return Refusal::kRequest;
  Refusal refusal = Refusal::kNone;
  if (request.is_send_) {
    refusal = begin_send(request);
  } else {
    begin_receive(request);
  }
  finish();
  return refusal;
}

Refusal Messenger::begin_send(Request& request) {
  if (request.mode_ == SendMode::kBuffered && request.peer_ != kProcNull) return begin_buffered(request);
  start_send(request);
  return Refusal::kNone;
}

// It goes on with a copy unless it can leave whole at once.
Refusal Messenger::begin_buffered(Request& request) {
  Peer& peer = *peers_.at(request.peer_);
  if (peer.lost || goes_whole(peer, request.length_)) {
    start_send(request);
    if (!request.under_way()) return Refusal::kNone;
    request.link_.unlink();  // the engine has no room after all
    unwatch(request);
    request.state_ = Request::State::kComplete;
    request.active_ = false;
  }
  std::unique_ptr<Copied> copied(new (std::nothrow) Copied);
  if (copied != nullptr) copied->bytes.reset(new (std::nothrow) std::byte[request.length_]);
  if (copied == nullptr || copied->bytes == nullptr) return Refusal::kNoMemory;
  if (request.length_ > 0) std::memcpy(copied->bytes.get(), request.buffer_, request.length_);
  Request& own = copied->request;
  prepare(SendArguments{copied->bytes.get(), request.length_, request.peer_, request.context_, request.tag_, SendMode::kStandard}, own);
  own.copied_ = true;
  copied_.push_back(std::move(copied));
  start_send(own);
  set_out(request);
  complete(request, Failure::kNone);
  return Refusal::kNone;
}

// It is active, and nothing has happened yet.
void Messenger::set_out(Request& request) {
  request.active_ = true;
  if (request.is_send_) {
    request.state_ = Request::State::kBacklog;
    request.cancelling_ = request.long_ = false;
    request.result_ = {kAnySource, request.tag_, request.length_, Failure::kNone, false};
  } else {
    request.state_ = Request::State::kUnposted;
    request.peer_ = request.asked_source_;
    request.result_ = {};
  }
}

void Messenger::start_send(Request& request) {
  set_out(request);
  if (request.peer_ == kProcNull) return complete(request, Failure::kNone);
  Peer& peer = *peers_.at(request.peer_);
  if (peer.outside) return send_outside(peer, request);
  // Credit may have come, and a flood has to let in what answers it.
  if (peer.credit.headers == 0 || part_ahead(peer, request.length_) > peer.credit.bytes || !process_.endpoint().idle()) turn();
  leave_or_queue(peer, request);
}

void Messenger::leave_or_queue(Peer& peer, Request& request) {
  if (peer.lost) return complete(request, Failure::kPeerLost);
  if (peer.backlog.empty() && try_send(peer, request)) return;
  peer.backlog.push_back(request);
  watch(request, peer);
  if (peer.blocked) return;
  peer.blocked = true;
  blocked_.push_back(&peer);
  chores_ = true;
}

// What goes ahead of a message's rest: all of it up to the eager limit, but for the longest in a stream.
std::uint64_t Messenger::part_ahead(const Peer& peer, std::uint64_t length) const {
  const bool whole = length <= eager_limit_ && (length <= kOneSegment || peer.sequence - peer.sent_before_arrival < kStream);
  return whole ? length : std::min(eager_limit_, kFirstPart);
}

// It waits behind no other, and there is credit for all of it. Whether the engine has room is not known yet.
bool Messenger::goes_whole(const Peer& peer, std::uint64_t length) const {
  return peer.backlog.empty() && peer.credit.headers > 0 && length <= peer.credit.bytes && part_ahead(peer, length) == length;
}

// False: there is no credit for its header, or no room in the engine; nothing has happened.
bool Messenger::try_send(Peer& peer, Request& request) {
  if (peer.credit.headers == 0) return false;
  if (try_send_parcel(peer, request)) return true;
  const std::uint64_t wanted = part_ahead(peer, request.length_);
  const std::uint64_t ahead = wanted <= peer.credit.bytes ? wanted : 0;
  const bool rest = ahead < request.length_;
  const bool answered = rest || request.mode_ == SendMode::kSynchronous;
  MessageHeader header{answered ? PacketKind::kDatasync : PacketKind::kData, rest, 0, request.length_};
  request.sequence_ = peer.sequence + 1;
  if (answered) {
    const auto [place, id] = active_sends_.create(&request);
    if (place == nullptr) return false;
    request.active_id_ = id;
    header.request_id = id.slot;
  }
  Status status = rest ? expose_rest(peer, request, ahead) : Status::kOk;
  // The acknowledgement names it by number: the request may have ended, and its memory be another's, when that comes.
  if (status == Status::kOk) {
    const std::uint64_t bits = match_bits(request.context_, request.tag_);
    status = put_message(peer, {request.buffer_, bits, request.sequence_, header, ahead, answered, request.active_id_});
  }
  if (status != Status::kOk) {
    withdraw_rest(request);
    if (answered) active_sends_.destroy(request.active_id_);
    request.active_id_ = {};
    if (status == Status::kNoSpace) return false;
    complete(request, Failure::kFailed);
    return true;
  }
  charge(peer, ahead);
  if (!answered) {
    complete(request, Failure::kNone);
    return true;
  }
  has_left(peer, request);
  return true;
}

// It is under way, and something will end it.
void Messenger::has_left(Peer& peer, Request& request) {
  request.state_ = Request::State::kSent;
  if (request.link_.is_linked()) request.link_.unlink();
  peer.active.push_back(request);
  watch(request, peer);
}

// A message has gone there, so many bytes of it ahead.
void Messenger::charge(Peer& peer, std::uint64_t ahead) {
  ++peer.sequence;
  --peer.credit.headers;
  peer.credit.bytes -= ahead;
  if (peer.habit.welcome()) expect_next(peer);
}

Status Messenger::expose_rest(const Peer& peer, Request& request, std::uint64_t ahead) {
  portals::DescriptorRules rules;
  rules.described.options = option::kGet | option::kStartDisable | option::kLinkDisable | option::kUnlinkDisable;
  rules.described.user_pointer = &request;
  rules.region = portals::MemoryRegion(request.buffer_ + ahead, request.length_ - ahead);
  const portals::MatchCriteria receiver{peer.process, rest_bits(request.active_id_.slot, request.sequence_), 0};
  const Status status =
      interface_->unexpected.append_entry(kRests, portals::PortalList::kPriority, receiver, std::move(rules), true, request.entry_);
  request.long_ = status == Status::kOk;
  return status;
}

// False: the receiver is getting it.
bool Messenger::withdraw_rest(Request& request) {
  if (!request.long_ || interface_ == nullptr) return true;
  if (interface_->entries.unlink(request.entry_) != Status::kOk) return false;
  request.long_ = false;
  return true;
}

portals::RequestArguments Messenger::put_of(const Peer& peer, const Departure& message) const {
  portals::RequestArguments put;
  put.descriptor = everything_;
  put.whole_descriptor = false;
  put.local_offset = message.ahead > 0 ? reinterpret_cast<std::uintptr_t>(message.buffer) : 0;
  put.length = message.ahead;
  put.target = peer.process;
  put.portal_index = kMessages;
  put.match_bits = message.match_bits;
  put.remote_offset = message.sequence;
  put.header_data = encode(message.header);
  return put;
}

Status Messenger::put_message(const Peer& peer, const Departure& message) {
  portals::RequestArguments put = put_of(peer, message);
  put.ack = message.ack ? portals::AckRequest::kFull : portals::AckRequest::kNone;
  put.is_volatile = message.header.kind == PacketKind::kData;  // the send is complete when the call returns
  put.user_pointer = reinterpret_cast<void*>(message.active_id.packed());
  return process_.endpoint().put(*interface_, put);
}

void Messenger::flush(Peer& peer) {
  while (!peer.backlog.empty() && try_send(peer, peer.backlog.front())) {
  }
}

void Messenger::on_ack(const portals::Event& event) {
  Request** const place = active_sends_.get(SlotId::unpack(reinterpret_cast<std::uintptr_t>(event.user_pointer)));
  if (place == nullptr) return;
  if (event.failure != portals::Failure::kNone) return end_send(**place, failure_of(event.failure));
  if (event.list == portals::PortalList::kPriority && !(*place)->long_) end_send(**place, Failure::kNone);
}

void Messenger::on_rest_pulled(const portals::Event& event) {
  Request& request = *static_cast<Request*>(event.user_pointer);
  request.long_ = false;
  complete(request, failure_of(event.failure));
}

// One whose rest is being pulled ends with that.
void Messenger::end_send(Request& request, Failure failure) {
  if (withdraw_rest(request)) complete(request, failure);
}

Request* Messenger::active_send(const Peer& peer, std::uint32_t request_id, std::uint64_t sequence) {
  Request** const place = active_sends_.find_slot(request_id);
  if (place == nullptr) return nullptr;
  Request& request = **place;
  return request.peer_ == peer.number && short_sequence(request.sequence_) == sequence && request.state_ == Request::State::kSent ? &request
                                                                                                                                  : nullptr;
}

}  // namespace lintel::mpi
