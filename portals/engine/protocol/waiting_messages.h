#pragma once
// WaitingMessages: the messages that could not leave when they were sent, in a queue for each peer.
//
// Owned by the Outbox; owns the messages; borrows the operations. Guarded by the process' lock.
// Invariants: (1) messages to one peer are in the order of add(), except that answers pass requests
// that are held until others have been answered (Operations::may_ask), because two processes that
// ask each other would then wait for each other; (2) each answer counts in AnswerBudget, and each
// request without an operation has a place in the table of operations, exactly while it is here;
// (3) only make_room() throws for lack of memory.
// Does not: send, or close completions. What removes a message passes it to its caller for that.

#include <algorithm>
#include <array>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/completion.h"
#include "portals/engine/memory/memory_region.h"
#include "portals/engine/protocol/answer_budget.h"
#include "portals/engine/protocol/operations.h"
#include "portals/engine/protocol/payload.h"
#include "portals/engine/values/interface_kind.h"
#include "portals/engine/wire/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

// A message that could not leave when it was sent.
struct WaitingMessage : boost::intrusive::list_base_hook<> {
  static constexpr std::size_t kMaxFixed = std::max(sizeof(wire::Request), sizeof(wire::Response));

  std::byte fixed[kMaxFixed];
  std::size_t fixed_size = 0;
  bool from_region = false;
  MemoryRegion region;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::vector<std::byte> bytes;
  Completion completion;
  SlotId operation;  // whose request or source it is; generation 0: none
  bool own = false;  // of a transfer that a request of this process began

  Payload payload() const {
    return {.region = from_region ? &region : nullptr,
            .offset = offset,
            .length = length,
            .bytes = bytes};
  }
  wire::MessageHeader header() const;
  std::size_t memory() const { return sizeof(WaitingMessage) + bytes.size(); }
  bool is_request() const;
  // It answers a request of the peer, or belongs to the transfer of one, so that the peer causes
  // it.
  bool is_answer() const { return !is_request() && !own; }
  // True for a request or a reply. Refusals do not count, because peers can cause any number of
  // them.
  bool is_counted() const { return completion.interface != nullptr || operation.generation != 0; }
  // A request without an operation, which has a place of its own in the table of operations.
  bool has_place() const { return is_request() && operation.generation == 0; }
};
static_assert(sizeof(WaitingMessage) <= Operations::kAnswerCost);

class WaitingMessages {
 public:
  using Message = std::unique_ptr<WaitingMessage>;

  // `answer_limit`: see AnswerBudget.
  WaitingMessages(Operations& operations, std::size_t answer_limit)
      : operations_(operations), answers_(answer_limit) {}
  WaitingMessages(const WaitingMessages&) = delete;
  WaitingMessages& operator=(const WaitingMessages&) = delete;
  // REQUIRES: empty().
  ~WaitingMessages();

  // For add() to that peer. If there is no memory (std::bad_alloc), nothing has happened.
  void make_room(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  // A request may have to be held; see Operations. REQUIRES: make_room() was called for the peer.
  void add(transport::PeerId peer, Message message) LINTEL_REQUIRES(kLock);

  // Calls `send(peer, message)` for the messages in their order, until it returns false for a peer,
  // and `left(WaitingMessage&)` for each that it has sent and that is no longer here. Returns their
  // number.
  template <class Send, class Left>
  std::size_t send_all(const Send& send, const Left& left) LINTEL_REQUIRES(kLock);
  // Removes the messages to `peer` and calls `visit(message)` for each, the oldest first. Needs no
  // memory.
  template <class Visit>
  void take(transport::PeerId peer, const Visit& visit) LINTEL_REQUIRES(kLock);
  // The same for the requests of an interface, and the messages of its transfers. Its answers stay,
  // with a copy of their bytes or as failures, see Outbox::withdraw(), and no longer refer to it.
  // Calls `close(Completion)` for each.
  template <class Visit, class Close>
  void withdraw(std::uint8_t interface_kind, const Visit& visit, const Close& close)
      LINTEL_REQUIRES(kLock);

  bool empty() const LINTEL_REQUIRES(kLock) { return size_ == 0; }
  std::size_t size() const LINTEL_REQUIRES(kLock) { return size_; }
  bool waits_for(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    return !empty() && peer.value < queues_.size() && queues_[peer.value] &&
           !queues_[peer.value]->empty();
  }
  // A message waits for the peer, and not because it is a request that is held.
  bool blocks_answers_to(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    return waits_for(peer) && !queues_[peer.value]->ready.empty();
  }
  // A peer for which messages wait. REQUIRES: !empty().
  transport::PeerId first_peer() const LINTEL_REQUIRES(kLock) { return blocked_.front().peer; }
  const AnswerBudget& answers() const LINTEL_REQUIRES(kLock) { return answers_; }
  // Of the requests and replies of one interface: how many wait, and how many send_all() has sent.
  std::size_t waiting_of(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return counts_[interface_kind].waiting;
  }
  std::uint64_t left_of(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return counts_[interface_kind].left;
  }

 private:
  using Queue = boost::intrusive::list<WaitingMessage>;
  // The messages that wait for one peer.
  struct PeerQueue : boost::intrusive::list_base_hook<> {
    explicit PeerQueue(transport::PeerId p) : peer(p) {}
    transport::PeerId peer;
    Queue ready;  // wait for room in the transport
    // Requests, of which the first waits until earlier ones have been answered, and the others
    // because they begin in order.
    Queue held;
    bool empty() const { return ready.empty() && held.empty(); }
  };
  struct WaitingCount {
    std::size_t waiting = 0;
    std::uint64_t left = 0;
  };

  bool must_hold(transport::PeerId peer, SlotId operation) LINTEL_REQUIRES(kLock);
  void ask(SlotId operation) LINTEL_REQUIRES(kLock);
  Queue* next_queue(PeerQueue& waiting) LINTEL_REQUIRES(kLock);
  void forget(transport::PeerId peer, const WaitingMessage& message) LINTEL_REQUIRES(kLock);
  Message unlink(PeerQueue& waiting, Queue& queue, WaitingMessage& message) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] Completion detach(transport::PeerId peer, WaitingMessage& message)
      LINTEL_REQUIRES(kLock);

  Operations& operations_;
  std::vector<std::unique_ptr<PeerQueue>> queues_ LINTEL_GUARDED_BY(kLock);  // by peer
  boost::intrusive::list<PeerQueue> blocked_ LINTEL_GUARDED_BY(kLock);  // those that are not empty
  std::size_t size_ LINTEL_GUARDED_BY(kLock) = 0;
  AnswerBudget answers_ LINTEL_GUARDED_BY(kLock);
  std::array<WaitingCount, kMaxInterfaces> counts_ LINTEL_GUARDED_BY(kLock){};  // by interface
};

template <class Send, class Left>
std::size_t WaitingMessages::send_all(const Send& send, const Left& left) {
  std::size_t sent = 0;
  for (auto next = blocked_.begin(); next != blocked_.end();) {
    PeerQueue& waiting = *next++;
    while (Queue* const queue = next_queue(waiting)) {
      WaitingMessage& message = queue->front();
      if (!send(waiting.peer, message)) break;
      const Message gone = unlink(waiting, *queue, message);
      if (gone->is_counted()) ++counts_[gone->header().interface_kind].left;
      left(*gone);
      ++sent;
    }
  }
  return sent;
}

template <class Visit>
void WaitingMessages::take(transport::PeerId peer, const Visit& visit) {
  if (!waits_for(peer)) return;
  PeerQueue& waiting = *queues_[peer.value];
  for (Queue* const queue : {&waiting.ready, &waiting.held}) {
    while (!queue->empty()) {
      const Message message = unlink(waiting, *queue, queue->front());
      visit(*message);
    }
  }
}

template <class Visit, class Close>
void WaitingMessages::withdraw(std::uint8_t interface_kind, const Visit& visit,
                               const Close& close) {
  for (const auto& waiting : queues_) {
    if (!waiting) continue;
    for (Queue* const queue : {&waiting->ready, &waiting->held}) {
      for (auto next = queue->begin(); next != queue->end();) {
        WaitingMessage& message = *next++;
        const wire::MessageHeader header = message.header();
        const auto kind = static_cast<wire::MessageKind>(header.kind);
        if (header.interface_kind != interface_kind || kind == wire::MessageKind::kDiscard)
          continue;
        if (kind == wire::MessageKind::kAck || kind == wire::MessageKind::kReply) {
          close(detach(waiting->peer, message));
          continue;
        }
        const Message taken = unlink(*waiting, *queue, message);
        visit(*taken);
      }
    }
  }
}

}  // namespace lintel::portals
