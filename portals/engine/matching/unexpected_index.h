#pragma once
// UnexpectedIndex: finds the unexpected headers that match an entry without walking the unexpected
// list.
//
// Criteria that use the same parts of a header (nid or not, pid or not, which match bits) form a
// class. Within a class, equal keys mean a match. So each class is a hash table from a key to the
// ring of the headers with that key, in order of arrival. A search uses the one class of its
// criteria. Searches make classes and update them: a header is entered into a class at the first
// search of that class after the header arrived. So a header is entered at most once into a class,
// and a class that is no longer searched takes no more time.
//
// Owned by an UnexpectedList, whose ordered list it borrows with the headers. Guarded by the
// process' lock.
// Invariants: (1) a class holds exactly the headers of the list whose order_ is below its
// indexed_until; (2) a ring is in list order;
// (3) a class is replaced by another only if none is free and it was not used in the last
// kIdleSearches searches. Otherwise, with more kinds of criteria than classes, a long list would be
// indexed again and again; (4) if there is no memory, a class is dropped, and its searches walk the
// list.
// Memory: none until the first search of a list that is longer than the walked part. Then 8 bytes
// for each header, and for each class that has the header 8 bytes of links and its share of a key:
// tables of 16 bytes per slot are 1/8 to 1/4 full, from 65,536 slots on 1/4 to 1/2; so 64 to 128
// bytes per key, 32 to 64 for many keys. This memory keeps the size for the longest list until its
// class is dropped, or the list becomes empty after it had more than kMostKept headers: peers could
// fill one list after the other.
// Does not: allocate in remove(), or set order_. A peer that chooses match bits with equal hashes
// can make a search as slow as a walk.

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "portals/engine/matching/match_entry.h"
#include "portals/engine/matching/unexpected_header.h"

namespace lintel::portals {

class UnexpectedIndex {
 public:
  static constexpr std::size_t kClasses = 8;
  static constexpr std::uint64_t kIdleSearches = 64;
  static constexpr std::uint32_t kMostKept = 1024;
  static constexpr std::uint32_t kNoPlace = 0xffffffffU;
  using HeaderOrderHook =
      boost::intrusive::member_hook<UnexpectedHeader, boost::intrusive::list_member_hook<>,
                                    &UnexpectedHeader::order_link_>;
  using OrderedHeaders = boost::intrusive::list<UnexpectedHeader, HeaderOrderHook>;
  struct HeaderClass;

  // REQUIRES: `headers`, the list in which every header of the index is linked, outlives the index.
  explicit UnexpectedIndex(OrderedHeaders& headers);
  ~UnexpectedIndex();
  UnexpectedIndex(const UnexpectedIndex&) = delete;
  UnexpectedIndex& operator=(const UnexpectedIndex&) = delete;

  // The class of these criteria, with all headers of the list. nullptr: the list must be walked,
  // because the criteria use no part of a header, because all classes are in use for others, or
  // because there is no memory. Valid until the next call. REQUIRES: the list is not empty. O(1),
  // and one step for each header that arrived since the last search of the class. May allocate.
  const HeaderClass* prepare(const MatchCriteria& criteria);

  // The first header in list order that the criteria admit, and the one after such a header;
  // nullptr if there is none. REQUIRES: prepare() returned `kind` for the criteria, and no header
  // was appended since. O(1).
  UnexpectedHeader* first(const HeaderClass& kind, const MatchCriteria& criteria) const;
  UnexpectedHeader* next(const HeaderClass& kind, const UnexpectedHeader& header) const;

  // Removes the header from every class that has it. REQUIRES: it is linked in the list. One step
  // for each such class, at most kClasses; allocates nothing.
  void remove(UnexpectedHeader& header) {
    if (header.place_ != kNoPlace) forget(header);
  }
  // The list has become empty.
  void became_empty() {
    if (place_count_ > kMostKept) release();
  }

 private:
  union HeaderPlace {
    UnexpectedHeader* header;
    std::uint32_t next_free;
  };

  HeaderClass* class_for(const MatchCriteria& criteria);
  bool catch_up(HeaderClass& kind);
  bool enter(HeaderClass& kind, UnexpectedHeader& header);
  void unlink(HeaderClass& kind, const UnexpectedHeader& header);
  void forget(UnexpectedHeader& header);
  bool give_place(UnexpectedHeader& header);
  [[gnu::cold]] void release();

  OrderedHeaders& headers_;
  std::unique_ptr<HeaderClass[]> classes_;  // kClasses, from the first search on
  std::uint64_t searches_ = 0;
  std::unique_ptr<HeaderPlace[]> places_;  // by UnexpectedHeader::place_
  std::uint32_t place_count_ = 0;
  std::uint32_t free_place_ = kNoPlace;  // first of the chain of places without a header
};

}  // namespace lintel::portals
