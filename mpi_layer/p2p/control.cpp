// Packets that are no messages: SYNCACK, PROTOACK and the three of a cancel; and cancel itself.

#include <algorithm>

#include "mpi_layer/p2p/gateway.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

using portals::Status;
using portals::UnexpectedHeader;
using portals::UnexpectedMessage;

void Messenger::tell(Peer& peer, const Control& control) {
  if (peer.lost || (untold_.empty() && try_tell(peer, control))) return;
  untold_.emplace_back(&peer, control);
  chores_ = true;
}

// Of nothing: a greeting, or news of parcels.
void Messenger::tell_credit(Peer& peer, const Credit& credit) {
  tell(peer, {PacketKind::kProtoack, 0, 0, 0, credit.headers, credit.bytes, peer.habit.welcome()});
}

// False: the engine has no room.
bool Messenger::try_tell(const Peer& peer, const Control& control) {
  const EncodedControl encoded = encode(control);
  portals::RequestArguments put;
  put.descriptor = everything_;
  put.whole_descriptor = false;
  put.target = peer.process;
  put.portal_index = kControl;
  put.match_bits = encoded.match_bits;
  put.header_data = encoded.header_data;
  return process_.endpoint().put(*interface_, put) == Status::kOk;
}

void Messenger::on_control(const portals::Event& event) {
  Peer* const peer = peers_.find(event.initiator);
  if (peer == nullptr) return;
  const Control control = decode_control({event.match_bits, event.header_data});
  if (control.kind == PacketKind::kCancel) return on_cancel(*peer, control);
  if (control.kind == PacketKind::kProtoack) {
    peer->credit.bytes = std::min(peer->credit.bytes + control.bytes, window_.bytes);
    peer->credit.headers = std::min(peer->credit.headers + control.headers, window_.headers);
    peer->takes_parcels = control.parcels;
    return;
  }
  Request* const request = active_send(*peer, control.request_id, control.sequence);
  if (request == nullptr) return;  // it has ended meanwhile
  switch (control.kind) {
    case PacketKind::kSyncack: return end_send(*request, Failure::kNone);
    case PacketKind::kCancelyes:
      if (!request->cancelling_) return;
      request->result_.cancelled = true;
      return end_send(*request, Failure::kNone);
    case PacketKind::kCancelno: request->cancelling_ = false; return;
    default: return;
  }
}

// ---- Credit

// A message of so many bytes ahead lies in nobody's way any more.
void Messenger::owe(Peer& peer, std::uint64_t bytes) {
  if (peer.outside) {
    --peer.delivered;
    return;
  }
  peer.owed.bytes += bytes;
  ++peer.owed.headers;
  const bool due = (bytes > 0 && 4 * peer.owed.bytes >= window_.bytes) || 4 * peer.owed.headers >= window_.headers;
  if (!due || peer.credit_due) return;
  peer.credit_due = true;
  credit_due_.push_back(&peer);
  chores_ = true;
}

// As far as there is memory for what may come then.
void Messenger::give_credit() {
  std::erase_if(credit_due_, [this](Peer* peer) {
    const std::uint64_t bytes = std::min(peer->owed.bytes, window_.bytes);
    const std::uint32_t headers = std::min(peer->owed.headers, window_.headers);
    const auto all = static_cast<std::int64_t>(window_.bytes * options_.most_processes);
    const std::int64_t granted = std::min(std::max<std::int64_t>(granted_, 0) + static_cast<std::int64_t>(bytes), all);
    if (!peer->lost) {
      if (bytes > 0 && !unexpected_.make_room(static_cast<std::uint64_t>(granted))) return false;
      granted_ = granted;
      tell_credit(*peer, {bytes, headers});
    }
    peer->owed = {};
    peer->credit_due = false;
    return true;
  });
}

// ---- Cancel

void Messenger::cancel(Request& request) {
  const MutexLock lock(process_.lock());
  turn();
  switch (request.state_) {
    case Request::State::kBacklog:
    case Request::State::kUnposted:
      request.result_.cancelled = true;
      complete(request, Failure::kNone);
      break;
    case Request::State::kPosted:
      if (!forget_landing(request) || interface_->entries.unlink(request.entry_) != Status::kOk) break;  // its message is landing
      request.result_.cancelled = true;
      complete(request, Failure::kNone);
      break;
    case Request::State::kSent: {
      if (request.cancelling_ || is_parcel(request)) break;  // a parcel is gone, as what was copied is
      request.cancelling_ = true;
      Peer& to = *peers_.at(request.peer_);
      if (to.outside) {
        gateway_->cancel(request);
        break;
      }
      tell(to, {PacketKind::kCancel, match_bits(request.context_, request.tag_), request.active_id_.slot, short_sequence(request.sequence_),
                0, 0});
      if (to.process == self_) decide_own(request);
      break;
    }
    default: break;  // matched, or complete, or not active
  }
  finish();
}

// This process is the receiver too: the question and its answer take a turn each, and need nobody else.
void Messenger::decide_own(Request& request) {
  constexpr int kMostTurns = 16;  // more where the engine has no room for either at first
  for (int i = 0; i < kMostTurns && request.cancelling_ && request.state_ == Request::State::kSent; ++i) turn();
}

// The sender wants a message back: it gets it if nobody has received it.
void Messenger::on_cancel(Peer& peer, const Control& control) {
  const portals::MatchCriteria wanted{peer.process, control.match_bits, 0};
  UnexpectedHeader* const found = interface_->portals[kMessages].unexpected.find(wanted, [&](const UnexpectedHeader& header) {
    const auto& message = static_cast<const UnexpectedMessage&>(header);
    const MessageHeader sent = decode_message(message.event.header_data);
    return message.landed && sent.kind == PacketKind::kDatasync && sent.request_id == control.request_id &&
           short_sequence(message.event.remote_offset) == control.sequence;
  });
  if (found != nullptr) {
    auto& message = static_cast<UnexpectedMessage&>(*found);
    owe(peer, message.event.requested_length);
    unexpected_.consume(message);
  }
  tell(peer, {found != nullptr ? PacketKind::kCancelyes : PacketKind::kCancelno, 0, control.request_id, control.sequence, 0, 0});
}

}  // namespace lintel::mpi
