#pragma once
// MatchEntry: one entry of the match list of a portal. It says which requests may use its memory
// descriptor.
//
// Owned by the network interface's pool. Linked into at most one MatchList, which borrows it.
// Guarded by the process' lock.
// Invariants: (1) it has at most one memory descriptor, which points back to it; (2) it is
// matchable exactly while that descriptor is active.
// Does not: decide whether the descriptor accepts a request (memory_descriptor.h), or keep order
// (match_list.h).

#include <boost/intrusive/list_hook.hpp>
#include <cstdint>

#include "base/ids.h"
#include "base/slot_pool.h"
#include "portals/engine/events/event.h"

namespace lintel::portals {

class MemoryDescriptor;
class MatchList;

inline constexpr std::uint32_t kAnyId = 0xffffffffU;  // wildcard for nid and for pid

// The requests that an entry matches: those whose nid and pid are equal to these, unless these are
// kAnyId, and whose match bits are equal in all bits that are 0 in ignore_bits.
struct MatchCriteria {
  ProcessId initiator;
  std::uint64_t match_bits = 0;
  std::uint64_t ignore_bits = 0;

  bool admits(ProcessId from, std::uint64_t bits) const {
    return (initiator.nid.value == kAnyId || initiator.nid == from.nid) &&
           (initiator.pid.value == kAnyId || initiator.pid == from.pid) &&
           ((bits ^ match_bits) & ~ignore_bits) == 0;
  }
};

// For the keys of the indexes: a process as one number, and the bits of it that the criteria
// ignore.
constexpr std::uint64_t joined(ProcessId id) {
  return (std::uint64_t{id.nid.value} << 32) | id.pid.value;
}

constexpr std::uint64_t ignored_process(const MatchCriteria& criteria) {
  return (criteria.initiator.nid.value == kAnyId ? 0xffffffff00000000ULL : 0) |
         (criteria.initiator.pid.value == kAnyId ? 0xffffffffULL : 0);
}

class MatchEntry {
 public:
  MatchEntry(const MatchCriteria& criteria, std::uint32_t portal_index, bool unlink_with_descriptor,
             PortalList list = PortalList::kPriority)
      : criteria_(criteria),
        portal_index_(portal_index),
        unlink_with_descriptor_(unlink_with_descriptor),
        list_(list) {}
  MatchEntry(const MatchEntry&) = delete;
  MatchEntry& operator=(const MatchEntry&) = delete;

  const MatchCriteria& criteria() const { return criteria_; }
  std::uint32_t portal_index() const { return portal_index_; }
  bool unlink_with_descriptor() const { return unlink_with_descriptor_; }
  PortalList list() const { return list_; }

  SlotId id;                               // in the interface's pool; set once after creation
  MemoryDescriptor* descriptor = nullptr;  // not owned

 private:
  friend class MatchList;
  friend class MatchIndex;
  MatchCriteria criteria_;
  std::uint32_t portal_index_;
  bool unlink_with_descriptor_;
  PortalList list_;

  // For the list. The members that find() reads come first, so that they share a cache line with
  // the criteria.
  bool matchable_ = false;
  std::uint8_t index_class_ = 0;      // the class in the index; valid while matchable
  std::uint64_t order_ = 0;           // grows along the list
  MatchEntry* index_next_ = nullptr;  // ring of the matchable entries of one class and key, in list
                                      // order
  MatchEntry* index_previous_ = nullptr;
  boost::intrusive::list_member_hook<> order_link_;
};

}  // namespace lintel::portals
