#pragma once
// Outbox: sends messages to peers in the order of the calls, and keeps those for which the
// transport has no room.
//
// Owned by the Endpoint; borrows its transport. Guarded by the process' lock.
// Invariants: (1) messages to one peer leave in the order of send(); (2) every message's completion
// is closed here when the transport has its bytes, or is returned with the message as Unsent; (3) a
// message that does not wait is built directly in the transport's memory, without an allocation.
// Does not: limit the number of messages that wait. Operations limits those of initiators;
// AnswerBudget says which peer is to be given up because of the answers that it does not read.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/counters.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/completion.h"
#include "portals/engine/memory/memory_region.h"
#include "portals/engine/protocol/answer_budget.h"
#include "portals/engine/values/interface_kind.h"
#include "portals/engine/wire/wire_codec.h"
#include "transport/transport.h"

namespace lintel::portals {

// The bytes after the fixed part of a message: those of a region, or bytes that send() copies.
struct Payload {
  const MemoryRegion* region = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::span<const std::byte> bytes;  // if region is null
  bool is_volatile = false;          // the region's bytes are copied if the message has to wait
  std::size_t size() const { return region != nullptr ? length : bytes.size(); }
};

class Outbox {
 public:
  // `answer_limit`: see AnswerBudget.
  Outbox(transport::Transport& transport, Counters& counters, std::size_t answer_limit = SIZE_MAX)
      : transport_(transport), counters_(counters), answers_(answer_limit) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox();

  // Sends `fixed` and its payload. `completion` (may be null) is closed when the payload's memory
  // is no longer needed: at once, unless the message has to wait. `operation` is the operation
  // whose request this is, for Unsent.
  template <class Fixed>
  void send(transport::PeerId peer, const Fixed& fixed, const Payload& payload = {},
            Completion* completion = nullptr, SlotId operation = {}) LINTEL_REQUIRES(kLock) {
    if (send_at_once(peer, fixed, payload)) {
      finish(completion);
    } else {
      keep(peer, fixed, payload, completion, operation);
    }
  }

  // The two halves of send(), for a caller that makes the completion only after the message has
  // left. False: there is no room, or other messages wait already. Nothing has happened then, and
  // keep() must follow.
  template <class Fixed>
  bool send_at_once(transport::PeerId peer, const Fixed& fixed, const Payload& payload)
      LINTEL_REQUIRES(kLock);
  template <class Fixed>
  void keep(transport::PeerId peer, const Fixed& fixed, const Payload& payload,
            Completion* completion, SlotId operation) LINTEL_REQUIRES(kLock);

  // Tries to send the messages that wait. Returns how many have left.
  std::size_t retry() LINTEL_REQUIRES(kLock);

  // A message that will not be sent. The caller closes its completion, and ends the operation whose
  // request it was.
  struct Unsent {
    Completion completion;
    SlotId operation;  // generation 0: none
  };
  // Removes the messages that wait for `peer`, or all that wait, and returns them, the oldest
  // first.
  [[gnu::cold]] std::vector<Unsent> take(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] std::vector<Unsent> take_all() LINTEL_REQUIRES(kLock);
  // An interface ends while others remain. Its requests and the messages of its transfers are
  // removed and returned. Its answers are still sent later, with a copy of their bytes, so that
  // nothing here refers to the interface or its memory any more.
  [[gnu::cold]] std::vector<Unsent> withdraw(std::uint8_t interface_kind) LINTEL_REQUIRES(kLock);

  // Sends `to` a DISCARD: its operation of that token gets no further answer.
  [[gnu::cold]] void discard(transport::PeerId to, std::uint64_t token) LINTEL_REQUIRES(kLock);

  bool waits_for(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    return peer.value < queues_.size() && queues_[peer.value] && !queues_[peer.value]->empty();
  }
  bool idle() const LINTEL_REQUIRES(kLock) { return waiting_ == 0; }
  std::size_t waiting() const LINTEL_REQUIRES(kLock) { return waiting_; }
  const AnswerBudget& answers() const LINTEL_REQUIRES(kLock) { return answers_; }
  // Of the requests and replies of one interface: how many wait, and how many have left after a
  // wait. The latter never decreases.
  std::size_t waiting_of(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return counts_[interface_kind].waiting;
  }
  std::uint64_t left_of(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return counts_[interface_kind].left;
  }

 private:
  static constexpr std::size_t kMaxFixed = std::max(sizeof(wire::Request), sizeof(wire::Response));

  // A message that had no room when it was sent.
  struct Waiting {
    std::byte fixed[kMaxFixed];
    std::size_t fixed_size = 0;
    bool from_region = false;
    MemoryRegion region;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::vector<std::byte> bytes;
    Completion completion;
    SlotId operation;

    wire::MessageHeader header() const;
    std::size_t memory() const { return sizeof(Waiting) + bytes.size(); }
    // It answers a request, or a message of a transfer, so that the peer causes it.
    bool is_answer() const;
    // True for a request or a reply. Refusals do not count, because peers can cause any number of
    // them.
    bool is_counted() const { return completion.interface != nullptr || operation.generation != 0; }
  };
  using Queue = std::deque<Waiting>;
  struct WaitingCount {
    std::size_t waiting = 0;
    std::uint64_t left = 0;
  };

  Queue& queue(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  static void place(const Payload& payload, std::byte* out);
  void finish(Completion* completion) LINTEL_REQUIRES(kLock);
  void enqueue(transport::PeerId peer, Waiting&& message) LINTEL_REQUIRES(kLock);
  bool send_now(transport::PeerId peer, Waiting& message) LINTEL_REQUIRES(kLock);
  void forget(transport::PeerId peer, const Waiting& message) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void keep_without_interface(transport::PeerId peer, Waiting& message)
      LINTEL_REQUIRES(kLock);

  transport::Transport& transport_;
  Counters& counters_;
  std::vector<std::unique_ptr<Queue>> queues_ LINTEL_GUARDED_BY(kLock);  // by peer
  // peers whose queue is not empty
  std::vector<transport::PeerId> blocked_ LINTEL_GUARDED_BY(kLock);
  std::size_t waiting_ LINTEL_GUARDED_BY(kLock) = 0;
  AnswerBudget answers_ LINTEL_GUARDED_BY(kLock);
  std::array<WaitingCount, kMaxInterfaces> counts_ LINTEL_GUARDED_BY(kLock){};  // by interface
};

template <class Fixed>
bool Outbox::send_at_once(transport::PeerId peer, const Fixed& fixed, const Payload& payload) {
  static_assert(sizeof(Fixed) <= kMaxFixed);
  if (waits_for(peer)) return false;
  const std::size_t fixed_size = wire::fixed_size(fixed.header);
  const std::size_t size = fixed_size + payload.size();
  const transport::MessageBuffer buffer = transport_.reserve(peer, size);
  if (!buffer) return false;
  wire::encode(fixed, buffer.data);
  place(payload, buffer.data + fixed_size);
  if (transport_.commit(peer, buffer, size) != transport::PostStatus::kOk) {
    transport_.abandon(peer, buffer);
    return false;
  }
  counters_.add(Counter::kMessagesSent);
  counters_.add(Counter::kBytesSent, payload.size());
  return true;
}

// The message waits until retry() sends it or take() returns it because its peer was lost.
template <class Fixed>
void Outbox::keep(transport::PeerId peer, const Fixed& fixed, const Payload& payload,
                  Completion* completion, SlotId operation) {
  counters_.add(Counter::kWouldBlocks);
  Waiting message;
  wire::encode(fixed, message.fixed);
  message.fixed_size = wire::fixed_size(fixed.header);
  if (payload.region != nullptr && payload.is_volatile) {
    message.bytes.resize(payload.length);
    payload.region->read(payload.offset, message.bytes);
  } else if (payload.region != nullptr) {
    message.from_region = true;
    message.region = *payload.region;
    message.offset = payload.offset;
    message.length = payload.length;
  } else {
    message.bytes.assign(payload.bytes.begin(), payload.bytes.end());
  }
  if (completion != nullptr) message.completion = *completion;
  message.operation = operation;
  enqueue(peer, std::move(message));
}

}  // namespace lintel::portals
