#include "transport/fabric/receive_buffers.h"

#include <utility>

namespace lintel::transport {

Error ReceiveBuffers::allocate(std::size_t buffer_bytes) {
  const std::size_t count = operations_.count(OperationKind::kReceive);
  to_post_.reserve(count);
  Result<BufferSlab> memory = BufferSlab::allocate(buffer_bytes, count);
  if (!memory) return memory.error();
  memory_ = std::move(memory).value();
  return {};
}

Error ReceiveBuffers::post_all(const OfiEndpoint& endpoint) {
  for (std::size_t i = 0; i < operations_.count(OperationKind::kReceive); ++i) {
    if (!post(*operations_.take(OperationKind::kReceive), endpoint))
      return {Loss::kInterface, "fi_recvmsg", "the provider takes no receive buffer"};
  }
  return {};
}

void ReceiveBuffers::tear(FabricOperation& receive, std::uint64_t flags, TimePoint now) {
  receive.torn = true;
  torn_ = true;
  if ((flags & FI_MULTI_RECV) != 0) filled(receive, memory_.buffer_bytes(), now);
}

// If a message in a buffer ended in the middle, the provider does not say when the other messages
// in it are complete. So the buffer is released after kTornGrace, which is long enough for them.
void ReceiveBuffers::release_torn(TimePoint now) {
  torn_ = false;
  for (std::size_t i = 0; i < operations_.count(OperationKind::kReceive); ++i) {
    FabricOperation& receive = operations_.at(OperationKind::kReceive, i);
    if (receive.state != OperationState::kInFlight || !receive.torn) continue;
    if (receive.filled && now >= receive.filled_at + kTornGrace) {
      released(receive);
    } else {
      torn_ = true;
    }
  }
}

bool ReceiveBuffers::post(FabricOperation& receive, const OfiEndpoint& endpoint) {
  iovec buffer{memory_.buffer(receive.index), memory_.buffer_bytes()};
  void* descriptor = memory_.descriptor();
  fi_msg message{};
  message.msg_iov = &buffer;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = &receive.provider_room;
  if (fi_recvmsg(endpoint.raw(), &message, FI_MULTI_RECV) != 0) return false;
  receive.state = OperationState::kInFlight;
  receive.taken_bytes = 0;
  receive.filled = receive.torn = false;
  return true;
}

// The next call tries again what cannot be posted now.
void ReceiveBuffers::repost(const OfiEndpoint& endpoint) {
  std::size_t kept = 0;
  for (FabricOperation* receive : to_post_) {
    if (!post(*receive, endpoint)) to_post_[kept++] = receive;
  }
  to_post_.resize(kept);
}

}  // namespace lintel::transport
