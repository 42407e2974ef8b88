// Processes outside, and what the messenger does for the gateway to them.

#include <algorithm>
#include <utility>

#include "mpi_layer/p2p/gateway.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

using portals::UnexpectedHeader;
using portals::UnexpectedMessage;

void Messenger::set_gateway(Gateway* gateway) { gateway_ = gateway; }

Refusal Messenger::add_outside() {
  const MutexLock lock(process_.lock());
  const ProcessId nobody{kOutsideNode, Pid(static_cast<std::uint32_t>(peers_.size()))};
  if (options_.outside_headers == 0 || peers_.find(nobody) != nullptr) return Refusal::kProcess;
  Peer& peer = peers_.add(nobody);
  peer.outside = true;
  ++outside_;
  return Refusal::kNone;
}

// The arrival's number goes where that of a message would, and of its header data only the length means something.
std::uint64_t Messenger::deliver(std::int32_t source, std::uint32_t context, std::int32_t tag, std::uint64_t length) {
  Peer& peer = *peers_.at(source);
  LINTEL_ASSERT(peer.outside && is_context(context) && is_tag(tag) && length <= kMaxLength);
  if (peer.delivered >= std::max<std::uint32_t>(options_.outside_headers / static_cast<std::uint32_t>(outside_), 1)) return 0;
  const std::uint64_t header = encode(MessageHeader{PacketKind::kDatasync, true, 0, length});
  const std::uint64_t sequence = peer.sequence + 1;
  if (!process_.endpoint().deliver(*interface_, peer.process, kMessages, match_bits(context, tag), sequence, header)) return 0;
  ++peer.delivered;
  return peer.sequence = sequence;
}

bool Messenger::withdraw(std::int32_t source, std::uint64_t sequence) {
  drain();  // what has met its receive by now
  Peer& peer = *peers_.at(source);
  // By any context and tag: the number is the only one of its kind.
  UnexpectedHeader* const found = interface_->portals[kMessages].unexpected.find(
      {peer.process, 0, ~0ULL},
      [&](const UnexpectedHeader& header) { return static_cast<const UnexpectedMessage&>(header).event.remote_offset == sequence; });
  if (found == nullptr) return false;
  unexpected_.consume(static_cast<UnexpectedMessage&>(*found));
  --peer.delivered;
  return true;
}

void Messenger::send_outside(Peer& peer, Request& request) {
  request.state_ = Request::State::kSent;
  peer.active.push_back(request);
  const SendMode mode = request.mode_ == SendMode::kSynchronous ? SendMode::kSynchronous : SendMode::kStandard;
  const SendArguments message{request.buffer_, request.length_, request.peer_, request.context_, request.tag_, mode};
  if (gateway_ == nullptr) return complete(request, Failure::kPeerLost);
  if (gateway_->send(message, request)) complete(request, Failure::kNone);
}

void Messenger::end_outside_send(Request& request, Failure failure, bool cancelled) {
  request.result_.cancelled = cancelled;
  complete(request, failure);
}

void Messenger::refuse_cancel(Request& request) { request.cancelling_ = false; }

// The message is the request's, and nothing of it is in place yet.
void Messenger::receive_outside(Request& request, Peer& peer, std::uint64_t sequence) {
  request.state_ = Request::State::kPulling;
  peer.active.push_back(request);
  if (gateway_ == nullptr) return complete(request, Failure::kPeerLost);
  gateway_->receive(peer.number, sequence, {request.buffer_, std::min(request.length_, request.result_.length)}, request);
}

void Messenger::end_outside_receive(Request& request, Failure failure) {
  complete(request, failure == Failure::kNone ? request.result_.failure : failure);
}

void Messenger::relay(const SendArguments& arguments, Request& request) {
  prepare(arguments, request);
  request.relayed_ = true;
  set_out(request);
  leave_or_queue(*peers_.at(request.peer_), request);
}

void Messenger::relay(const ReceiveArguments& arguments, Request& request) {
  prepare(arguments, request);
  request.relayed_ = true;
  set_out(request);
  post_or_queue(request);
}

void Messenger::hand_back_relayed() {
  while (!relayed_.empty()) {
    Request& request = relayed_.front();
    retire(request);
    if (gateway_ != nullptr) gateway_->on_relay_end(request);
  }
}

std::size_t Messenger::take_in() {
  const std::uint64_t before = happened_;
  drain();
  return static_cast<std::size_t>(happened_ - before);
}

}  // namespace lintel::mpi
