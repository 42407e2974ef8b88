#include "portals/engine/protocol/outbox.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "portals/engine/interface/network_interface.h"

namespace lintel::portals {
namespace {

wire::Discard make_discard(std::uint64_t token) {
  wire::Discard message{};
  message.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kDiscard),
                    0, 0, 0};
  message.token = token;
  return message;
}

// Replaces a reply by one without data, or with Portals 3 by a DISCARD. Returns its size.
[[gnu::cold]] std::size_t write_failure(std::byte* message, std::size_t size) {
  wire::Response reply = wire::parse_response({message, size});
  if (reply.header.interface_kind == kPortals3Kind) {
    const wire::Discard discard = make_discard(reply.request_token);
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

Outbox::~Outbox() { LINTEL_ASSERT(idle()); }

Outbox::PeerQueue& Outbox::queue(transport::PeerId peer) {
  if (peer.value >= queues_.size()) queues_.resize(std::size_t{peer.value} + 1);
  if (!queues_[peer.value]) queues_[peer.value] = std::make_unique<PeerQueue>(peer);
  return *queues_[peer.value];
}

// Whether a request must wait because earlier ones to its peer are held, or because the peer has to
// answer others first. `operation` of generation 0: it needs no answer.
bool Outbox::must_hold(transport::PeerId peer, SlotId operation) {
  if (peer.value < queues_.size() && queues_[peer.value] && !queues_[peer.value]->held.empty())
    return true;
  if (operation.generation == 0) return false;
  const Operation* const asking = operations_.get(operation);
  return asking != nullptr && !operations_.may_ask(*asking);
}

void Outbox::ask(SlotId operation) {
  if (operation.generation == 0) return;
  if (Operation* const asking = operations_.get(operation)) operations_.ask(*asking);
}

void Outbox::finish(Completion* completion) {
  if (completion != nullptr && completion->interface != nullptr)
    completion->interface->close(*completion, Failure::kNone);
}

// The only field of more than one byte is not used.
wire::MessageHeader Outbox::Waiting::header() const {
  wire::MessageHeader header{};
  std::memcpy(&header, fixed, sizeof header);
  return header;
}

bool Outbox::Waiting::is_request() const {
  switch (static_cast<wire::MessageKind>(header().kind)) {
    case wire::MessageKind::kAck:
    case wire::MessageKind::kReply:
    case wire::MessageKind::kClear:
    case wire::MessageKind::kWritten:
    case wire::MessageKind::kDiscard: return false;
    default: return true;
  }
}

void Outbox::keep(transport::PeerId peer, Prepared prepared, const Completion* completion) {
  counters_.add(Counter::kWouldBlocks);
  Waiting& message = *prepared.release();
  if (completion != nullptr) message.completion = *completion;
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
  ++waiting_;
}

// The message waits no longer. Called before its completion is closed.
void Outbox::forget(transport::PeerId peer, const Waiting& message) {
  --waiting_;
  if (message.is_counted()) --counts_[message.header().interface_kind].waiting;
  if (message.is_answer()) answers_.release(peer, message.memory());
  if (message.has_place()) operations_.end_wait(peer);
}

bool Outbox::send_now(transport::PeerId peer, Waiting& message) {
  const std::size_t payload_size = message.from_region ? message.length : message.bytes.size();
  const std::size_t size = message.fixed_size + payload_size;
  const transport::MessageBuffer buffer = transport_.reserve(peer, size);
  if (!buffer) return false;
  std::memcpy(buffer.data, message.fixed, message.fixed_size);
  place({.region = message.from_region ? &message.region : nullptr,
         .offset = message.offset,
         .length = message.length,
         .bytes = message.bytes},
        buffer.data + message.fixed_size);
  if (transport_.commit(peer, buffer, size) != transport::PostStatus::kOk) {
    transport_.abandon(peer, buffer);
    return false;
  }
  counters_.add(Counter::kMessagesSent);
  counters_.add(Counter::kBytesSent, payload_size);
  return true;
}

std::size_t Outbox::retry() {
  std::size_t left = 0;
  for (auto next = blocked_.begin(); next != blocked_.end();) left += retry(*next++);
  return left;
}

std::size_t Outbox::retry(PeerQueue& waiting) {
  std::size_t left = 0;
  while (!waiting.empty()) {
    const bool held = waiting.ready.empty();
    Queue& queue = held ? waiting.held : waiting.ready;
    Waiting& message = queue.front();
    if (held) {
      Operation* const asking = operations_.get(message.operation);
      if (asking != nullptr && !operations_.may_ask(*asking)) break;
      ask(message.operation);
    }
    if (!send_now(waiting.peer, message)) break;
    const Prepared sent = unlink(waiting, queue, message);
    if (sent->is_counted()) ++counts_[sent->header().interface_kind].left;
    finish(&sent->completion);
    ++left;
  }
  return left;
}

// Removes the message from its queue. Its completion may be closed afterwards.
Outbox::Prepared Outbox::unlink(PeerQueue& waiting, Queue& queue, Waiting& message) {
  queue.erase(queue.iterator_to(message));
  if (waiting.empty()) blocked_.erase(blocked_.iterator_to(waiting));
  forget(waiting.peer, message);
  return Prepared(&message);
}

void Outbox::discard(transport::PeerId to, std::uint64_t token) { send(to, make_discard(token)); }

void Outbox::discard_of(const Operation& operation, std::uint64_t token) {
  send_of(operation, make_discard(token));
}

// Copies the payload, so that the owner of the memory may change it.
void Outbox::keep_without_interface(transport::PeerId peer, Waiting& message) {
  answers_.release(peer, message.memory());
  if (message.is_counted()) --counts_[message.header().interface_kind].waiting;
  if (message.from_region) {
    try {
      if (!answers_.fits(peer, sizeof(Waiting) + message.length)) throw std::bad_alloc();
      message.bytes.resize(message.length);
      message.region.read(message.offset, message.bytes);
    } catch (const std::bad_alloc&) {
      message.fixed_size = write_failure(message.fixed, message.fixed_size);
    }
    message.from_region = false;
    message.region = {};
  }
  finish(&message.completion);
  message.completion = {};
  message.operation = {};
  answers_.keep(peer, message.memory());
}

}  // namespace lintel::portals
