#include "portals/engine/protocol/outbox.h"

#include <cstring>
#include <utility>

#include "portals/engine/interface/network_interface.h"

namespace lintel::portals {

void Outbox::finish(Completion* completion) {
  if (completion != nullptr && completion->interface != nullptr)
    completion->interface->close(std::move(*completion), Failure::kNone);
}

void Outbox::keep(transport::PeerId peer, Prepared prepared, Completion* completion) {
  counters_.add(Counter::kWouldBlocks);
  if (completion != nullptr) prepared->completion = std::move(*completion);
  waiting_.add(peer, std::move(prepared));
}

bool Outbox::send_now(transport::PeerId peer, const WaitingMessage& message) {
  const Payload payload = message.payload();
  const std::size_t size = message.fixed_size + payload.size();
  const transport::MessageBuffer buffer = transport_.reserve(peer, size);
  if (!buffer) return false;
  std::memcpy(buffer.data, message.fixed, message.fixed_size);
  payload.copy_to(buffer.data + message.fixed_size);
  if (transport_.commit(peer, buffer, size) != transport::PostStatus::kOk) {
    transport_.abandon(peer, buffer);
    return false;
  }
  counters_.add(Counter::kMessagesSent);
  counters_.add(Counter::kBytesSent, payload.size());
  return true;
}

std::size_t Outbox::retry() {
  return waiting_.send_all([this](transport::PeerId peer, const WaitingMessage& message)
                               LINTEL_REQUIRES(kLock) { return send_now(peer, message); },
                           [this](WaitingMessage& sent)
                               LINTEL_REQUIRES(kLock) { finish(&sent.completion); });
}

void Outbox::discard(transport::PeerId to, std::uint64_t token) {
  send(to, wire::make_discard(token));
}

void Outbox::discard_of(const Operation& operation, std::uint64_t token) {
  send_of(operation, wire::make_discard(token));
}

}  // namespace lintel::portals
