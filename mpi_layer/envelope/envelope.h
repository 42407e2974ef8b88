#pragma once
// The message envelope of MPI (MPI 4.1 section 3.2.3) as match criteria of Portals 4.
//
// Match bits, from the highest: 4 bits zero, 28 bits context, 32 bits tag in two's complement. The
// source is the initiator's ProcessId; the match id of a receive names it or is a wildcard. A
// receive for any tag ignores the low 31 bits but not the sign. So it does not match negative tags,
// which the library uses for its own traffic.
//
// Pure functions of values; any thread.

#include <cstdint>
#include <limits>

#include "portals/engine/matching/match_entry.h"

namespace lintel::mpi {

// The bounds: MPI_TAG_UB, and the number of contexts - 1.
inline constexpr std::int32_t kMaxTag = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint32_t kMaxContext = (std::uint32_t{1} << 28) - 1;
// The wildcard of a receive. No message has this tag.
inline constexpr std::int32_t kAnyTag = std::numeric_limits<std::int32_t>::min();

inline constexpr ProcessId kAnyProcess{NodeId(portals::kAnyId), Pid(portals::kAnyId)};

// Whether a message may have this context, this tag.
constexpr bool is_context(std::uint32_t context) { return context <= kMaxContext; }
constexpr bool is_tag(std::int32_t tag) { return tag != kAnyTag; }

// The match bits of a message. REQUIRES: is_context(context), is_tag(tag).
constexpr std::uint64_t match_bits(std::uint32_t context, std::int32_t tag) {
  return (std::uint64_t{context} << 32) | static_cast<std::uint32_t>(tag);
}

constexpr std::uint32_t context_of(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits >> 32) & kMaxContext;
}
constexpr std::int32_t tag_of(std::uint64_t bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

// The criteria of a receive or a probe. `source` may be kAnyProcess, `tag` kAnyTag. REQUIRES:
// is_context(context).
constexpr portals::MatchCriteria criteria(ProcessId source, std::uint32_t context,
                                          std::int32_t tag) {
  if (tag == kAnyTag) return {source, match_bits(context, 0), static_cast<std::uint64_t>(kMaxTag)};
  return {source, match_bits(context, tag), 0};
}

}  // namespace lintel::mpi
