#pragma once
// ReceiveBuffers: the buffers into which the provider puts the messages of all peers, several in
// each.
//
// Owned by FabricTransport, which destroys it after the endpoint, because the provider may write
// into posted buffers until then. Borrows the records of the operations. Guarded by its owner's
// lock.
// Invariants: (1) a buffer is posted again only when the provider has released it and all messages
// in it have been taken; (2) all buffers are posted, or wait for the next repost().
// Does not: read the completion queue, or hand messages on.

#include <cstddef>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "transport/fabric/buffer_slab.h"
#include "transport/fabric/operation_table.h"

namespace lintel::transport {

class ReceiveBuffers {
 public:
  // Until release_torn() gives up the rest of a buffer in which a message ended in the middle.
  static constexpr Nanoseconds kTornGrace = std::chrono::seconds(1);

  explicit ReceiveBuffers(OperationTable& operations) : operations_(operations) {}
  ReceiveBuffers(const ReceiveBuffers&) = delete;
  ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;

  // Makes a buffer of that length for each record. Error (kInterface): no memory.
  Error allocate(std::size_t buffer_bytes);
  // As BufferSlab. Called once, before post_all().
  Error register_with(MemoryRegistrar& registrar, const OfiDomain& domain,
                      const OfiEndpoint& endpoint) {
    return memory_.register_with(registrar, domain, endpoint, FI_RECV);
  }
  void forget_registration() { memory_.forget_registration(); }
  // Posts all buffers for the first time. Error (kInterface): the provider does not take them.
  Error post_all(const OfiEndpoint& endpoint);

  // A completion of `receive`. `message`: what it has brought into the buffer, or nothing.
  void take(FabricOperation& receive, std::uint64_t flags, std::span<const std::byte> message,
            TimePoint now) {
    receive.taken_bytes += message.size();
    if ((flags & FI_MULTI_RECV) != 0) {
      const std::byte* const start = memory_.buffer(receive.index);
      filled(receive,
             !message.empty() && message.data() >= start
                 ? static_cast<std::size_t>(message.data() - start) + message.size()
                 : receive.taken_bytes,
             now);
    }
    if (receive.filled && receive.taken_bytes >= receive.end_bytes) released(receive);
  }
  // A message in the buffer has ended in the middle. What matters is whether the provider has
  // released the buffer with it.
  [[gnu::cold]] void tear(FabricOperation& receive, std::uint64_t flags, TimePoint now);
  // A buffer is torn; and: releases those that are, and were filled kTornGrace ago.
  bool has_torn() const { return torn_; }
  [[gnu::cold]] void release_torn(TimePoint now);

  // Buffers wait to be posted; and: posts them, as far as the provider takes them. Not between two
  // completions of a batch, because an entry of the same batch may point into a buffer that an
  // earlier entry has released.
  bool must_repost() const { return !to_post_.empty(); }
  void repost(const OfiEndpoint& endpoint);

 private:
  // No further message begins in the buffer. The last one ends at `end_bytes`.
  static void filled(FabricOperation& receive, std::size_t end_bytes, TimePoint now) {
    receive.filled = true;
    receive.end_bytes = end_bytes;
    receive.filled_at = now;
  }
  // The provider has released the buffer. It is posted again once only, even if the release is
  // reported twice.
  void released(FabricOperation& receive) {
    receive.state = OperationState::kFree;
    to_post_.push_back(&receive);
  }
  bool post(FabricOperation& receive, const OfiEndpoint& endpoint);

  OperationTable& operations_;
  BufferSlab memory_;
  std::vector<FabricOperation*> to_post_;
  bool torn_ = false;  // a receive is torn
};

}  // namespace lintel::transport
