#pragma once
// Outbox: sends messages to peers in the order of the calls, and keeps those for which the
// transport has no room, and requests whose answers the peer could not keep.
//
// Owned by the Endpoint; borrows its transport and the operations. Guarded by the process' lock.
// Invariants: (1) messages to one peer leave in the order of send(), except that answers do not
// wait behind requests that are held (WaitingMessages); (2) every message's completion is closed
// here when the transport has its bytes, or is returned with the message as Unsent; (3) a message
// that does not wait is built directly in the transport's memory, without an allocation; (4) only
// prepare() and the transport need memory: what waits is never lost for the lack of it.
// Does not: limit the number of messages that wait. Operations limits those of this process'
// operations, and counts its requests that wait without one; AnswerBudget says which peer is to be
// given up because of the answers that it does not read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/counters.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/completion.h"
#include "portals/engine/protocol/answer_budget.h"
#include "portals/engine/protocol/operations.h"
#include "portals/engine/protocol/payload.h"
#include "portals/engine/protocol/waiting_messages.h"
#include "portals/engine/wire/wire_codec.h"
#include "transport/transport.h"

namespace lintel::portals {

class Outbox {
 public:
  // `answer_limit`: see AnswerBudget.
  Outbox(transport::Transport& transport, Operations& operations, Counters& counters,
         std::size_t answer_limit = SIZE_MAX)
      : transport_(transport),
        operations_(operations),
        counters_(counters),
        waiting_(operations, answer_limit) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Sends `fixed` and its payload. `completion` (may be null) is closed when the payload's memory
  // is no longer needed: at once, unless the message has to wait. `operation` is the operation
  // whose request or source this is. If there is no memory (std::bad_alloc), nothing has happened.
  template <class Fixed>
  void send(transport::PeerId peer, const Fixed& fixed, const Payload& payload = {},
            Completion* completion = nullptr, Operation* operation = nullptr)
      LINTEL_REQUIRES(kLock) {
    if (send_at_once(peer, fixed, payload, operation)) {
      finish(completion);
    } else {
      keep(peer, prepare(peer, fixed, payload, operation), completion);
    }
  }

  // Sends a message of the transfer of `operation`. If a request of this process began that, the
  // message answers nothing that the peer has asked for, and AnswerBudget does not count it.
  template <class Fixed>
  void send_of(const Operation& operation, const Fixed& fixed, const Payload& payload = {})
      LINTEL_REQUIRES(kLock) {
    if (send_at_once(operation.peer, fixed, payload, nullptr)) return;
    Prepared message = prepare(operation.peer, fixed, payload, nullptr);
    message->own = operation.own;
    keep(operation.peer, std::move(message), nullptr);
  }

  // The parts of send(), for a caller that makes the completion only after the message has left.
  // False: there is no room, or other messages wait already, or the request is held. Nothing has
  // happened then.
  template <class Fixed>
  bool send_at_once(transport::PeerId peer, const Fixed& fixed, const Payload& payload,
                    Operation* operation) LINTEL_REQUIRES(kLock);
  // A message that may wait. If there is no memory (std::bad_alloc), nothing has happened.
  using Prepared = std::unique_ptr<WaitingMessage>;
  template <class Fixed>
  Prepared prepare(transport::PeerId peer, const Fixed& fixed, const Payload& payload,
                   const Operation* operation) LINTEL_REQUIRES(kLock);
  // It waits until retry() sends it or take() returns it because its peer was lost. Needs no
  // memory.
  void keep(transport::PeerId peer, Prepared message, Completion* completion)
      LINTEL_REQUIRES(kLock);

  // Tries to send the messages that wait. Returns how many have left.
  std::size_t retry() LINTEL_REQUIRES(kLock);

  // A message that will not be sent. The caller closes its completion, and ends the operation whose
  // request it was.
  struct Unsent {
    Completion completion;
    SlotId operation;  // generation 0: none
  };
  // Removes the messages that wait for `peer`, or all that wait, and calls `visit(Unsent&)` for
  // each, the oldest first. `visit` sends nothing. Needs no memory.
  template <class Visit>
  void take(transport::PeerId peer, Visit&& visit) LINTEL_REQUIRES(kLock);
  template <class Visit>
  void take_all(Visit&& visit) LINTEL_REQUIRES(kLock) {
    while (!waiting_.empty()) take(waiting_.first_peer(), visit);
  }
  // An interface ends while others remain. Its requests and the messages of its transfers are
  // removed, as by take(). Its answers are still sent later, with a copy of their bytes, so that
  // nothing here refers to the interface or its memory any more. A reply whose copy would exceed
  // the peer's part of the budget, or for which there is no memory, is sent as a failure without
  // data.
  template <class Visit>
  void withdraw(std::uint8_t interface_kind, Visit&& visit) LINTEL_REQUIRES(kLock);

  // Sends `to` a DISCARD: its operation of that token gets no further answer.
  [[gnu::cold]] void discard(transport::PeerId to, std::uint64_t token) LINTEL_REQUIRES(kLock);
  // The same as a message of the transfer of `operation`, see send_of().
  [[gnu::cold]] void discard_of(const Operation& operation, std::uint64_t token)
      LINTEL_REQUIRES(kLock);

  bool waits_for(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    return waiting_.waits_for(peer);
  }
  bool idle() const LINTEL_REQUIRES(kLock) { return waiting_.empty(); }
  std::size_t waiting() const LINTEL_REQUIRES(kLock) { return waiting_.size(); }
  const AnswerBudget& answers() const LINTEL_REQUIRES(kLock) { return waiting_.answers(); }
  // Of the requests and replies of one interface: how many wait, and how many have left after a
  // wait. The latter never decreases.
  std::size_t waiting_of(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return waiting_.waiting_of(interface_kind);
  }
  std::uint64_t left_of(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return waiting_.left_of(interface_kind);
  }

 private:
  void finish(Completion* completion) LINTEL_REQUIRES(kLock);
  bool send_now(transport::PeerId peer, const WaitingMessage& message) LINTEL_REQUIRES(kLock);

  transport::Transport& transport_;
  Operations& operations_;
  Counters& counters_;
  WaitingMessages waiting_ LINTEL_GUARDED_BY(kLock);
};

template <class Fixed>
bool Outbox::send_at_once(transport::PeerId peer, const Fixed& fixed, const Payload& payload,
                          Operation* operation) {
  static_assert(sizeof(Fixed) <= WaitingMessage::kMaxFixed);
  constexpr bool kRequest = std::is_same_v<Fixed, wire::Request>;
  if (kRequest ? waiting_.waits_for(peer) : waiting_.blocks_answers_to(peer)) return false;
  if constexpr (kRequest) {
    if (operation != nullptr && !operations_.may_ask(*operation)) return false;
  }
  const std::size_t fixed_size = wire::fixed_size(fixed);
  const std::size_t size = fixed_size + payload.size();
  const transport::MessageBuffer buffer = transport_.reserve(peer, size);
  if (!buffer) return false;
  wire::encode(fixed, buffer.data);
  payload.copy_to(buffer.data + fixed_size);
  if (transport_.commit(peer, buffer, size) != transport::PostStatus::kOk) {
    transport_.abandon(peer, buffer);
    return false;
  }
  if constexpr (kRequest) {
    if (operation != nullptr) operations_.ask(*operation);
  }
  counters_.add(Counter::kMessagesSent);
  counters_.add(Counter::kBytesSent, payload.size());
  return true;
}

template <class Fixed>
Outbox::Prepared Outbox::prepare(transport::PeerId peer, const Fixed& fixed, const Payload& payload,
                                 const Operation* operation) {
  auto message = std::make_unique<WaitingMessage>();
  wire::encode(fixed, message->fixed);
  message->fixed_size = wire::fixed_size(fixed);
  if (payload.region != nullptr && payload.is_volatile) {
    message->bytes.resize(payload.length);
    payload.region->read(payload.offset, message->bytes);
  } else if (payload.region != nullptr) {
    message->from_region = true;
    message->region = *payload.region;
    message->offset = payload.offset;
    message->length = payload.length;
  } else {
    message->bytes.assign(payload.bytes.begin(), payload.bytes.end());
  }
  if (operation != nullptr) message->operation = operation->id;
  waiting_.make_room(peer);
  return message;
}

template <class Visit>
void Outbox::take(transport::PeerId peer, Visit&& visit) {
  waiting_.take(peer, [&visit](WaitingMessage& message) LINTEL_REQUIRES(kLock) {
    Unsent unsent{std::move(message.completion), message.operation};
    visit(unsent);
  });
}

template <class Visit>
void Outbox::withdraw(std::uint8_t interface_kind, Visit&& visit) {
  waiting_.withdraw(
      interface_kind,
      [&visit](WaitingMessage& message) LINTEL_REQUIRES(kLock) {
        Unsent unsent{std::move(message.completion), message.operation};
        visit(unsent);
      },
      [this](Completion completion) LINTEL_REQUIRES(kLock) { finish(&completion); });
}

}  // namespace lintel::portals
