#pragma once
// Limits of one network interface: the largest ones that it grants, and those of a caller.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lintel::portals {

struct InterfaceLimits {
  std::uint32_t max_entries = 1U << 16;  // match entries
  std::uint32_t max_descriptors = 1U << 16;
  std::uint32_t max_queues = 1U << 12;
  std::uint32_t max_list_length = 1U << 16;  // entries in one match list
  std::uint32_t max_portal_index = 127;      // largest valid index
  std::uint32_t max_access_index = 63;       // largest valid index
  std::uint32_t max_iovec_pieces = 64;
  std::uint32_t max_getput_bytes = 1024;
  // Portals 4 only.
  std::uint32_t max_counters = 1U << 12;
  std::uint32_t max_unexpected = 1U << 16;  // unexpected headers of one portal
  std::uint32_t max_triggered = 1U << 12;   // operations that wait for one counting event
  std::uint64_t max_message_bytes = UINT64_MAX;
  std::uint64_t max_atomic_bytes = UINT64_MAX;  // these five: see with_message()
  std::uint64_t max_fetch_bytes = UINT64_MAX;
  std::uint64_t max_waw_bytes = UINT64_MAX;
  std::uint64_t max_war_bytes = UINT64_MAX;
  std::uint64_t max_volatile_bytes = UINT64_MAX;
  std::uint32_t features = 0;  // bits of portals4.h
};

// Portals 4: the largest number of entries, and of MDs. Each has a descriptor.
inline constexpr std::uint32_t kMaxObjects4 = 120'000;

// What an unexpected header costs, with its part of the index if it is searched in one way.
inline constexpr std::size_t kUnexpectedHeaderBytes = 384;

// `wanted` unexpected headers of one portal, or as many as it may have of `memory` for all portals.
constexpr std::uint64_t unexpected_within(std::uint64_t wanted, std::uint64_t memory) {
  return std::min(wanted, memory / 2 / kUnexpectedHeaderBytes);
}

// The largest limits of an interface of Portals 4. Those of Portals 3 are the default ones.
constexpr InterfaceLimits limits_of_portals4(std::uint64_t max_unexpected) {
  InterfaceLimits limits;
  limits.max_entries = limits.max_descriptors = kMaxObjects4;
  limits.max_list_length = kMaxObjects4;
  limits.max_iovec_pieces = 1024;
  limits.max_unexpected = static_cast<std::uint32_t>(max_unexpected);
  limits.max_message_bytes = std::uint64_t{1} << 62;
  return limits;
}

// Data that are ordered or may be volatile travel in their message, so their limit is at most
// `eager_limit`. It is also at most the limit of atomics, because programs send atomics of these
// lengths without checking the limit of atomics.
constexpr InterfaceLimits with_message(InterfaceLimits limits, std::uint64_t eager_limit,
                                       std::uint64_t atomic_limit) {
  limits.max_atomic_bytes = std::min(limits.max_atomic_bytes, atomic_limit);
  limits.max_fetch_bytes = std::min(limits.max_fetch_bytes, atomic_limit);
  limits.max_waw_bytes = std::min({limits.max_waw_bytes, eager_limit, limits.max_atomic_bytes});
  limits.max_war_bytes = std::min(limits.max_war_bytes, eager_limit);
  limits.max_volatile_bytes =
      std::min({limits.max_volatile_bytes, eager_limit, limits.max_atomic_bytes});
  return limits;
}

// The limit for a program that asks for `desired`: that number, if it is positive and not above
// `most`.
constexpr std::uint32_t wish(std::uint32_t most, int desired) {
  return desired > 0 ? std::min(most, static_cast<std::uint32_t>(desired)) : most;
}
constexpr std::uint64_t wish(std::uint64_t most, std::uint64_t desired) {
  return desired > 0 ? std::min(most, desired) : most;
}

// Portals 4: the largest number of searches that wait for the data of a message. Each has a
// descriptor, as MDs and entries have.
inline constexpr std::uint32_t kMaxSearches = 1024;

// The largest number of events in one queue. It bounds what a single call can allocate.
inline constexpr std::uint64_t kMaxQueueEvents = 1ULL << 24;

}  // namespace lintel::portals
