#pragma once
// UnmatchedArrivals: the messages of other jobs that no receive of this process has matched.
//
// Owned by the ImpiGateway; guarded by the lock of the messenger's process.
// Invariants: (1) after deliver() an arrival was delivered to the messenger, under one number, or
// waits until there is room for it; (2) arrivals of one source are delivered in the order of add().
// Does not: know the messenger or the peers: a function that delivers is an argument.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "mpi_layer/impi/host/messages.h"

namespace lintel::mpi::impi {

struct UnmatchedArrival {
  Envelope envelope;
  std::int32_t source = 0;               // world rank
  std::uint64_t sequence = 0;            // the messenger's number; 0: not delivered
  std::span<const std::byte> beginning;  // what has arrived before it is matched
  std::vector<std::byte> kept;           // a copy of it, after on_arrival() has returned
};

class UnmatchedArrivals {
 public:
  using Arrivals = std::map<ArrivalNumber, UnmatchedArrival>;

  // A new arrival. It is delivered next: deliver().
  void add(ArrivalNumber number, const Envelope& envelope, std::int32_t source,
           std::span<const std::byte> beginning) {
    UnmatchedArrival& arrival = arrivals_[number];
    arrival.envelope = envelope;
    arrival.source = source;
    arrival.beginning = beginning;
  }
  // Null: there is none, or it was matched.
  UnmatchedArrival* find(ArrivalNumber number) {
    const auto found = arrivals_.find(number);
    return found != arrivals_.end() ? &found->second : nullptr;
  }
  // Calls `deliver_one(const UnmatchedArrival&)`, which returns the messenger's number, or 0 if it
  // has no room. False: the arrival waits, for room or behind others of its source.
  template <class DeliverOne>
  bool deliver(ArrivalNumber number, const DeliverOne& deliver_one);
  // The same for the arrivals that wait. Returns how many were delivered.
  template <class DeliverOne>
  std::size_t deliver_waiting(const DeliverOne& deliver_one);

  // The messenger has matched the arrival of that source under that number. It is no longer here.
  // REQUIRES: it was delivered under this number, and is here.
  Arrivals::node_type take(std::int32_t source, std::uint64_t sequence);
  // The arrival is withdrawn. REQUIRES: it is here.
  void remove(ArrivalNumber number);

  std::size_t size() const { return arrivals_.size(); }
  std::size_t without_room() const;

 private:
  template <class DeliverOne>
  bool try_one(ArrivalNumber number, UnmatchedArrival& arrival, const DeliverOne& deliver_one);

  Arrivals arrivals_;
  // by source and number of the messenger
  std::map<std::pair<std::int32_t, std::uint64_t>, ArrivalNumber> delivered_;
  // by source; no empty queues
  std::map<std::int32_t, std::deque<ArrivalNumber>> undelivered_;
};

template <class DeliverOne>
bool UnmatchedArrivals::try_one(ArrivalNumber number, UnmatchedArrival& arrival,
                                const DeliverOne& deliver_one) {
  arrival.sequence = deliver_one(arrival);
  if (arrival.sequence == 0) return false;
  delivered_.emplace(std::pair(arrival.source, arrival.sequence), number);
  return true;
}

template <class DeliverOne>
bool UnmatchedArrivals::deliver(ArrivalNumber number, const DeliverOne& deliver_one) {
  UnmatchedArrival& arrival = arrivals_.at(number);
  if (!undelivered_.contains(arrival.source) && try_one(number, arrival, deliver_one)) return true;
  undelivered_[arrival.source].push_back(number);
  return false;
}

template <class DeliverOne>
std::size_t UnmatchedArrivals::deliver_waiting(const DeliverOne& deliver_one) {
  std::size_t delivered = 0;
  for (auto next = undelivered_.begin(); next != undelivered_.end();) {
    const auto source = next++;
    std::deque<ArrivalNumber>& waiting = source->second;
    for (; !waiting.empty() && try_one(waiting.front(), arrivals_.at(waiting.front()), deliver_one);
         ++delivered)
      waiting.pop_front();
    if (waiting.empty()) undelivered_.erase(source);
  }
  return delivered;
}

}  // namespace lintel::mpi::impi
