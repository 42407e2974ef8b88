#pragma once
// UnexpectedList: the headers of the messages that one portal took into overflow entries and nobody
// has claimed, in order of arrival. A new match entry, or a search, takes the first that it
// matches, or each.
//
// Borrows its headers: they belong to the engine and must outlive their link; the destructor
// unlinks what is left. Guarded by the endpoint's lock.
// Invariants: (1) order is order of arrival; order_ grows strictly along the list; (2) the cost of
//             a search does not depend on the list's length: the first kWalked headers are walked,
//             the rest goes through a hash table for each kind of criteria that is searched
//             (exceptions, and the memory: unexpected_index.h).
// Does not: look into the data or the overflow entry (the caller's predicate does), hold a new
// entry back while data is still landing, or limit its length.

#include <cstddef>
#include <cstdint>

#include "portals/engine/match_entry.h"
#include "portals/engine/unexpected_header.h"
#include "portals/engine/unexpected_index.h"

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
  // `accepts(UnexpectedHeader&)` is true; nullptr if there is none. `accepts` is asked in order of
  // arrival, once per header, never about one behind the winner, and must neither change nor search
  // the list. O(1) amortised: each header is indexed once for each kind of criteria that is
  // searched while it is here. May allocate, but does not fail.
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
  // until it returns false. `visit` may remove or destroy the header it is given, and must not
  // otherwise change or search the list. Cost and memory as find(), and one step per visit.
  template <class Visit>
  void for_each_match(const MatchCriteria& criteria, Visit&& visit) {
    std::size_t walked = 0;
    for (auto at = headers_.begin(); at != headers_.end(); ++walked) {
      if (walked == kWalked) {
        if (const UnexpectedIndex::Class* kind = index_.prepare(criteria))
          return for_each_indexed(*kind, criteria, at->order_, visit);
      }
      UnexpectedHeader& header = *at++;
      if (criteria.admits(header.initiator, header.match_bits) && !visit(header)) return;
    }
  }

  std::size_t size() const { return headers_.size(); }
  bool empty() const { return headers_.empty(); }

  // Calls `visit(UnexpectedHeader&)` in order of arrival, for dumps and teardown; `visit` may
  // remove or destroy the header it is given, and no other.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto at = headers_.begin(); at != headers_.end();) {
      UnexpectedHeader& header = *at++;
      visit(header);
    }
  }

 private:
  // Goes on through the index with the headers from `begin` in order.
  template <class Visit>
  void for_each_indexed(const UnexpectedIndex::Class& kind, const MatchCriteria& criteria,
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
