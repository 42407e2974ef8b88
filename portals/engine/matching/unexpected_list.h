#pragma once
// UnexpectedList: the unexpected headers of one portal, in order of arrival: of messages in
// overflow entries that no entry has claimed. A new match entry, or a search, takes the first
// header that it matches, or all.
//
// Borrows its headers, which belong to UnexpectedMessages. A header must exist while it is linked.
// The destructor unlinks the headers that are left. Guarded by the process' lock.
// Invariants: (1) the order is the order of arrival; order_ grows strictly along the list; (2) the
// cost of a search does not depend on the list's length: the first kWalked headers are walked, and
// the others are found by a hash table for each kind of criteria (unexpected_index.h has exceptions
// and the memory).
// Does not: use the data or the overflow entry (the caller's predicate does), delay a new entry
// while data are still arriving, or limit its length.

#include <cstddef>
#include <cstdint>

#include "portals/engine/matching/match_entry.h"
#include "portals/engine/matching/unexpected_header.h"
#include "portals/engine/matching/unexpected_index.h"

namespace lintel::portals {

class UnexpectedList {
 public:
  static constexpr std::size_t kWalked = 8;

  UnexpectedList() = default;
  UnexpectedList(const UnexpectedList&) = delete;
  UnexpectedList& operator=(const UnexpectedList&) = delete;
  ~UnexpectedList();

  // Links the header behind all others. REQUIRES: it is in no list. O(1), whatever is searched;
  // allocates nothing.
  void append(UnexpectedHeader& header);

  // Unlinks the header. REQUIRES: it is in this list. O(1); allocates nothing.
  void remove(UnexpectedHeader& header);

  // The first header in order of arrival that the criteria admit and for which
  // `accepts(UnexpectedHeader&)` is true; nullptr if there is none. `accepts` is called in order of
  // arrival, once per header, and not for headers behind the result. It must neither change nor
  // search the list. O(1) amortised: a header is indexed once for each kind of criteria that is
  // searched while it is in the list. May allocate, but does not fail.
  template <class Accepts>
  UnexpectedHeader* find(const MatchCriteria& criteria, Accepts&& accepts) {
    UnexpectedHeader* found = nullptr;
    for_each_match(criteria, [&](UnexpectedHeader& header) {
      if (!accepts(header)) return true;
      found = &header;
      return false;
    });
    return found;
  }

  // Calls `visit(UnexpectedHeader&)` for every header that the criteria admit, in order of arrival,
  // until it returns false. `visit` may remove or destroy its header, but must not otherwise change
  // or search the list. Cost and memory as find(), and one step per visit.
  template <class Visit>
  void for_each_match(const MatchCriteria& criteria, Visit&& visit) {
    std::size_t walked = 0;
    for (auto at = headers_.begin(); at != headers_.end(); ++walked) {
      if (walked == kWalked) {
        if (const UnexpectedIndex::HeaderClass* kind = index_.prepare(criteria))
          return for_each_indexed(*kind, criteria, at->order_, visit);
      }
      UnexpectedHeader& header = *at++;
      if (criteria.admits(header.initiator, header.match_bits) && !visit(header)) return;
    }
  }

  std::size_t size() const { return headers_.size(); }
  bool empty() const { return headers_.empty(); }

  // Calls `visit(UnexpectedHeader&)` in order of arrival, for dumps and destruction. `visit` may
  // remove or destroy its header, and no other.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto at = headers_.begin(); at != headers_.end();) {
      UnexpectedHeader& header = *at++;
      visit(header);
    }
  }

 private:
  // Continues in the index with the headers whose order_ is at least `begin`.
  template <class Visit>
  void for_each_indexed(const UnexpectedIndex::HeaderClass& kind, const MatchCriteria& criteria,
                        std::uint64_t begin, Visit& visit) {
    UnexpectedHeader* header = index_.first(kind, criteria);
    while (header && header->order_ < begin) header = index_.next(kind, *header);
    while (header) {
      UnexpectedHeader* const next = index_.next(kind, *header);
      if (!visit(*header)) return;
      header = next;
    }
  }

  UnexpectedIndex::OrderedHeaders headers_;
  UnexpectedIndex index_{headers_};
  std::uint64_t next_order_ = 0;
};

}  // namespace lintel::portals
