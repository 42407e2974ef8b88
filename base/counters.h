#pragma once
// Counters: what a process has done and what has failed, as numbers.
//
// Value-like, fixed size, no allocation. Thread: one writer at a time (the owner's lock). Any
// thread may read at any time; it sees each number whole, but not all numbers of one moment.
// Invariant: a counter never decreases.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lintel {

enum class Counter : std::uint8_t {
  kFramesSent,
  kFramesReceived,
  kFramesMalformed,
  kFramesDuplicate,
  kContactsRefused,
  kContactsUnproved,
  kConnectionsResumed,
  kMessagesSent,
  kMessagesReceived,
  kBytesSent,
  kBytesReceived,
  kPutsSent,
  kPutsReceived,
  kGetsSent,
  kGetsReceived,
  kGetPutsSent,
  kGetPutsReceived,
  kAtomicsSent,
  kAtomicsReceived,
  kAcksSent,
  kAcksReceived,
  kRepliesSent,
  kRepliesReceived,
  kDropsNoInterface,
  kDropsBadPortalIndex,
  kDropsBadCookie,
  kDropsAccessDenied,
  kDropsNoMatch,
  kDropsStaleHandle,
  kDropsPortalDisabled,
  kDropsOperation,
  kDropsInaccessible,
  kDropsMalformed,
  kTruncations,
  kEventQueueOverflows,
  kWouldBlocks,
  kPeerFailures,
  kMessagesUnacknowledged,
  kPeersOverdrawn,
  kPeersWithoutMemory,
  kOperationsRefused,
  kTurnsAbandoned,
  kEagerCopies,
  kDirectTransfers,
  kPayloadsPlaced,
  kLongestProgressGapNs,
  kCount,
};

inline constexpr std::size_t kCounterCount = static_cast<std::size_t>(Counter::kCount);

struct CounterInfo {
  std::string_view label;  // as printed: "drops_no_match"
  std::string_view help;
};

const CounterInfo& counter_info(Counter counter);

class Counters {
 public:
  // Load and store, without an atomic addition, because there is one writer.
  [[gnu::always_inline]] void add(Counter counter, std::uint64_t amount = 1) {
    auto& cell = cells_[static_cast<std::size_t>(counter)];
    cell.store(cell.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  // For counters of the largest value.
  void raise_to(Counter counter, std::uint64_t value) {
    auto& cell = cells_[static_cast<std::size_t>(counter)];
    if (value > cell.load(std::memory_order_relaxed)) cell.store(value, std::memory_order_relaxed);
  }
  // Adds the numbers of another object.
  void add_all(const Counters& other);
  std::uint64_t get(Counter counter) const {
    return cells_[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
  }

  // The sum of all kDrops… counters: messages that were discarded for any reason.
  std::uint64_t drops() const;

  // One "label value" line each, in the enum's order, zeros included.
  std::string text() const;
  // {"label": value, …} on one line.
  std::string json() const;

 private:
  std::array<std::atomic<std::uint64_t>, kCounterCount> cells_{};
};

// Writes text() to the file `pattern`, in which %p is replaced by the process id. Replaces the file
// in one step, so a reader sees the old or the new contents. An empty pattern does nothing. Returns
// false, with errno set, if the file cannot be written.
bool write_counters_file(const Counters& counters, const std::string& pattern);

}  // namespace lintel
