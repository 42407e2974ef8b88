#pragma once
// MatchList: the ordered list of match entries of one portal. A request uses the first entry in
// list order that matches and whose descriptor accepts it.
//
// Borrows its entries, which belong to the interface's pool. An entry must exist while it is
// linked. The destructor unlinks the entries that are left. Guarded by the process' lock.
// Invariants: (1) the order is that of the positions of insertion, whatever the criteria are; (2)
// find() returns only matchable entries;
// (3) the cost of find() depends on the number of different ignore masks, not on the list's length
// (bounds: match_index.h);
// (4) order_ grows strictly along the list.
// Does not: use descriptors (the caller's predicate does), count drops, or limit its length.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "portals/engine/matching/match_entry.h"
#include "portals/engine/matching/match_index.h"

namespace lintel::portals {

enum class ListEnd { kHead, kTail };
enum class Side { kBefore, kAfter };

class MatchList {
 public:
  MatchList() = default;
  MatchList(const MatchList&) = delete;
  MatchList& operator=(const MatchList&) = delete;
  ~MatchList();

  // Links the entry at an end, not matchable yet. REQUIRES: it is in no list. O(1) amortised;
  // allocates nothing.
  void attach(MatchEntry& entry, ListEnd end);

  // Links the entry next to `base`, not matchable yet. REQUIRES: the entry is in no list, `base` is
  // in this one. O(log n) amortised in the worst case, O(1) if entries are always inserted on the
  // same side of one base; allocates nothing.
  void insert(MatchEntry& entry, MatchEntry& base, Side side);

  // Unlinks the entry, matchable or not. REQUIRES: it is in this list. O(1); allocates nothing.
  void remove(MatchEntry& entry);

  // Says whether find() may return the entry, which keeps its place. REQUIRES: it is in this list.
  // O(1) amortised; if entries of the same key become matchable in random order, a search that
  // grows with the square root of their number. `matchable` true may allocate, but does not fail.
  void set_matchable(MatchEntry& entry, bool matchable);

  // The first entry in list order that is matchable, admits the request, and for which
  // `accepts(MatchEntry&)` is true; nullptr if there is none. `accepts` is called in list order,
  // once per entry, and not for entries behind the result. It must not change the list. Allocates
  // nothing.
  template <class Accepts>
  MatchEntry* find(ProcessId initiator, std::uint64_t match_bits, Accepts&& accepts) {
    return index_.find(initiator, match_bits, std::forward<Accepts>(accepts));
  }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  // Calls `visit(MatchEntry&)` in list order, for dumps and destruction. `visit` may remove or
  // destroy its entry, and no other.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto at = entries_.begin(); at != entries_.end();) {
      MatchEntry& entry = *at++;
      visit(entry);
    }
  }

 private:
  using Entries = MatchIndex::OrderedEntries;

  void link(Entries::iterator place, MatchEntry& entry, Side side);
  bool choose_order(Entries::iterator here, Side side);
  void spread_around(Entries::iterator here);
  void recentre();

  Entries entries_;
  MatchIndex index_{entries_};
};

}  // namespace lintel::portals
