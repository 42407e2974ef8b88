#include "portals/engine/protocol/outbox.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "portals/engine/interface/network_interface.h"

namespace lintel::portals {

Outbox::~Outbox() { LINTEL_ASSERT(idle()); }

Outbox::Queue& Outbox::queue(transport::PeerId peer) {
  if (peer.value >= queues_.size()) queues_.resize(std::size_t{peer.value} + 1);
  if (!queues_[peer.value]) queues_[peer.value] = std::make_unique<Queue>();
  return *queues_[peer.value];
}

void Outbox::place(const Payload& payload, std::byte* out) {
  if (payload.region != nullptr) {
    payload.region->read(payload.offset, {out, payload.length});
  } else if (!payload.bytes.empty()) {
    std::memcpy(out, payload.bytes.data(), payload.bytes.size());
  }
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

bool Outbox::Waiting::is_answer() const {
  switch (static_cast<wire::MessageKind>(header().kind)) {
    case wire::MessageKind::kAck:
    case wire::MessageKind::kReply:
    case wire::MessageKind::kClear:
    case wire::MessageKind::kWritten:
    case wire::MessageKind::kDiscard: return true;
    default: return false;
  }
}

void Outbox::enqueue(transport::PeerId peer, Waiting&& message) {
  Queue& waiting = queue(peer);
  if (blocked_.size() == blocked_.capacity()) blocked_.reserve(2 * blocked_.size() + 1);
  answers_.make_room(peer);
  waiting.push_back(std::move(message));
  // From here on nothing needs memory, so all that counts messages agrees.
  const Waiting& kept = waiting.back();
  if (waiting.size() == 1) blocked_.push_back(peer);
  if (kept.is_counted()) ++counts_[kept.header().interface_kind].waiting;
  if (kept.is_answer()) answers_.keep(peer, kept.memory());
  ++waiting_;
}

// The message waits no longer. Called before its completion is closed.
void Outbox::forget(transport::PeerId peer, const Waiting& message) {
  --waiting_;
  if (message.is_counted()) --counts_[message.header().interface_kind].waiting;
  if (message.is_answer()) answers_.release(peer, message.memory());
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
  forget(peer, message);
  if (message.is_counted()) ++counts_[message.header().interface_kind].left;
  finish(&message.completion);
  return true;
}

std::size_t Outbox::retry() {
  std::size_t left = 0;
  for (std::size_t i = 0; i < blocked_.size();) {
    const transport::PeerId peer = blocked_[i];
    Queue& waiting = queue(peer);
    while (!waiting.empty() && send_now(peer, waiting.front())) {
      waiting.pop_front();
      ++left;
    }
    if (waiting.empty()) {
      blocked_[i] = blocked_.back();
      blocked_.pop_back();
    } else {
      ++i;
    }
  }
  return left;
}

std::vector<Outbox::Unsent> Outbox::take(transport::PeerId peer) {
  std::vector<Unsent> unsent;
  if (!waits_for(peer)) return unsent;
  Queue dropped;
  dropped.swap(queue(peer));
  std::erase(blocked_, peer);
  for (const Waiting& message : dropped) {
    forget(peer, message);
    unsent.push_back({message.completion, message.operation});
  }
  return unsent;
}

std::vector<Outbox::Unsent> Outbox::take_all() {
  std::vector<Unsent> unsent;
  while (!blocked_.empty()) {
    const std::vector<Unsent> of_peer = take(blocked_.back());
    unsent.insert(unsent.end(), of_peer.begin(), of_peer.end());
  }
  return unsent;
}

std::vector<Outbox::Unsent> Outbox::withdraw(std::uint8_t interface_kind) {
  std::vector<Unsent> unsent;
  for (std::size_t i = 0; i < blocked_.size();) {
    Queue& waiting = queue(blocked_[i]);
    for (Waiting& message : waiting) {
      const wire::MessageHeader header = message.header();
      const auto kind = static_cast<wire::MessageKind>(header.kind);
      if (header.interface_kind != interface_kind || kind == wire::MessageKind::kDiscard) continue;
      if (kind == wire::MessageKind::kAck || kind == wire::MessageKind::kReply) {
        keep_without_interface(blocked_[i], message);
        continue;
      }
      forget(blocked_[i], message);
      unsent.push_back({message.completion, message.operation});
      message.fixed_size = 0;  // marks the message for removal
    }
    std::erase_if(waiting, [](const Waiting& message) { return message.fixed_size == 0; });
    if (waiting.empty()) {
      blocked_[i] = blocked_.back();
      blocked_.pop_back();
    } else {
      ++i;
    }
  }
  return unsent;
}

void Outbox::discard(transport::PeerId to, std::uint64_t token) {
  wire::Discard message{};
  message.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kDiscard),
                    0, 0, 0};
  message.token = token;
  send(to, message);
}

// Copies the payload, so that the owner of the memory may change it.
void Outbox::keep_without_interface(transport::PeerId peer, Waiting& message) {
  answers_.release(peer, message.memory());
  if (message.is_counted()) --counts_[message.header().interface_kind].waiting;
  if (message.from_region) {
    message.bytes.resize(message.length);
    message.region.read(message.offset, message.bytes);
    message.from_region = false;
    message.region = {};
  }
  finish(&message.completion);
  message.completion = {};
  message.operation = {};
  answers_.keep(peer, message.memory());
}

}  // namespace lintel::portals
