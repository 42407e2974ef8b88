#include "portals/engine/protocol/waiting_messages.h"

#include <cstring>
#include <new>
#include <utility>

#include "base/assert.h"
#include "portals/engine/wire/wire_codec.h"

namespace lintel::portals {
namespace {

// Replaces a reply by one without data, or with Portals 3 by a DISCARD. Returns its size.
[[gnu::cold]] std::size_t write_failure(std::byte* message, std::size_t size) {
  wire::Response reply = wire::parse_response({message, size});
  if (reply.header.interface_kind == kPortals3Kind) {
    const wire::Discard discard = wire::make_discard(reply.request_token);
    wire::encode(discard, message);
    return wire::fixed_size(discard.header);
  }
  reply.header.payload_length = 0;
  reply.manipulated_length = 0;
  reply.failure = static_cast<std::uint8_t>(Failure::kNoInterface);
  wire::encode(reply, message);
  return size;
}

}  // namespace

// The only field of more than one byte is not used.
wire::MessageHeader WaitingMessage::header() const {
  wire::MessageHeader header{};
  std::memcpy(&header, fixed, sizeof header);
  return header;
}

bool WaitingMessage::is_request() const {
  switch (static_cast<wire::MessageKind>(header().kind)) {
    case wire::MessageKind::kAck:
    case wire::MessageKind::kReply:
    case wire::MessageKind::kClear:
    case wire::MessageKind::kWritten:
    case wire::MessageKind::kDiscard: return false;
    default: return true;
  }
}

WaitingMessages::~WaitingMessages() { LINTEL_ASSERT(empty()); }

void WaitingMessages::make_room(transport::PeerId peer) {
  if (peer.value >= queues_.size()) queues_.resize(std::size_t{peer.value} + 1);
  if (!queues_[peer.value]) queues_[peer.value] = std::make_unique<PeerQueue>(peer);
  answers_.make_room(peer);
  operations_.make_room(peer);
}

void WaitingMessages::add(transport::PeerId peer, Message added) {
  WaitingMessage& message = *added.release();
  PeerQueue& waiting = *queues_[peer.value];
  if (waiting.empty()) blocked_.push_back(waiting);
  if (message.is_request() && must_hold(peer, message.operation)) {
    waiting.held.push_back(message);
  } else {
    if (message.is_request()) ask(message.operation);
    waiting.ready.push_back(message);
  }
  if (message.is_counted()) ++counts_[message.header().interface_kind].waiting;
  if (message.is_answer()) answers_.keep(peer, message.memory());
  if (message.has_place()) operations_.begin_wait(peer);
  ++size_;
}

// Whether a request must wait because earlier ones to its peer are held, or because the peer has to
// answer others first. `operation` of generation 0: it needs no answer.
bool WaitingMessages::must_hold(transport::PeerId peer, SlotId operation) {
  if (!queues_[peer.value]->held.empty()) return true;
  if (operation.generation == 0) return false;
  const Operation* const asking = operations_.get(operation);
  return asking != nullptr && !operations_.may_ask(*asking);
}

void WaitingMessages::ask(SlotId operation) {
  if (operation.generation == 0) return;
  if (Operation* const asking = operations_.get(operation)) operations_.ask(*asking);
}

// The queue whose first message may leave next, or null. A request that was held is asked.
WaitingMessages::Queue* WaitingMessages::next_queue(PeerQueue& waiting) {
  if (!waiting.ready.empty()) return &waiting.ready;
  if (waiting.held.empty()) return nullptr;
  const SlotId operation = waiting.held.front().operation;
  const Operation* const asking = operations_.get(operation);
  if (asking != nullptr && !operations_.may_ask(*asking)) return nullptr;
  ask(operation);
  return &waiting.held;
}

// The message waits no longer. Called before its completion is closed.
void WaitingMessages::forget(transport::PeerId peer, const WaitingMessage& message) {
  --size_;
  if (message.is_counted()) --counts_[message.header().interface_kind].waiting;
  if (message.is_answer()) answers_.release(peer, message.memory());
  if (message.has_place()) operations_.end_wait(peer);
}

// Removes the message from its queue. Its completion may be closed afterwards.
WaitingMessages::Message WaitingMessages::unlink(PeerQueue& waiting, Queue& queue,
                                                 WaitingMessage& message) {
  queue.erase(queue.iterator_to(message));
  if (waiting.empty()) blocked_.erase(blocked_.iterator_to(waiting));
  forget(waiting.peer, message);
  return Message(&message);
}

// Copies the payload, so that the owner of the memory may change it. Returns the completion, which
// is to be closed.
Completion WaitingMessages::detach(transport::PeerId peer, WaitingMessage& message) {
  answers_.release(peer, message.memory());
  if (message.is_counted()) --counts_[message.header().interface_kind].waiting;
  if (message.from_region) {
    try {
      if (!answers_.fits(peer, sizeof(WaitingMessage) + message.length)) throw std::bad_alloc();
      message.bytes.resize(message.length);
      message.region.read(message.offset, message.bytes);
    } catch (const std::bad_alloc&) {
      message.fixed_size = write_failure(message.fixed, message.fixed_size);
    }
    message.from_region = false;
    message.region = {};
  }
  answers_.keep(peer, message.memory());
  message.operation = {};
  return std::exchange(message.completion, {});
}

}  // namespace lintel::portals
