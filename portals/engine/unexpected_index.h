#pragma once
// UnexpectedIndex: finds the unexpected headers that match an entry without walking the unexpected
// list.
//
// Criteria that look at the same parts of a header (nid or not, pid or not, which match bits) form
// a class. Inside a class equal keys mean a match, so each class is a hash table from key to the
// ring of the headers with that key, in order of arrival; a search asks the one class it belongs
// to. Classes come from searches and are brought up to date by searches: a header is entered when
// its class is searched for the first time since it arrived, so each costs a class at most once,
// and a class that is no longer searched costs nothing more.
//
// Owned by an UnexpectedList, whose ordered list it borrows with the headers. Guarded by the
// endpoint's lock.
// Invariants: (1) a class holds exactly the headers of the list whose order_ is below its
// indexed_until; (2) a ring is in list order;
//             (3) a class is given up for another only if none is free and it was not asked in the
//             last kIdleSearches searches, so that more kinds of criteria than classes do not keep
//             indexing a long list;
//             (4) without memory a class is given up, and its headers are walked.
// Memory: nothing until the first search of a list longer than what is walked. Then, per header, 8
// bytes, and for each class that has it 8 bytes of links and its share of a key: tables of 16 bytes
// per slot are 1/8 to 1/4 full, from 65,536 slots on 1/4 to 1/2; so 64 to 128 bytes per key, 32 to
// 64 for many keys. All of it keeps the size of the longest list until its class is given up. Does
// not: allocate in remove(), set order_, or withstand a peer that chooses match bits for their hash
// (it can make a search a walk).

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "portals/engine/match_entry.h"
#include "portals/engine/unexpected_header.h"

namespace lintel::portals {

class UnexpectedIndex {
 public:
  static constexpr std::size_t kClasses = 8;
  static constexpr std::uint64_t kIdleSearches = 64;
  static constexpr std::uint32_t kNoPlace = 0xffffffffU;
  using OrderHook =
      boost::intrusive::member_hook<UnexpectedHeader, boost::intrusive::list_member_hook<>,
                                    &UnexpectedHeader::order_link_>;
  using OrderedHeaders = boost::intrusive::list<UnexpectedHeader, OrderHook>;
  struct Class;

  // REQUIRES: `headers`, the list in which every header of the index is linked, outlives the index.
  explicit UnexpectedIndex(OrderedHeaders& headers);
  ~UnexpectedIndex();
  UnexpectedIndex(const UnexpectedIndex&) = delete;
  UnexpectedIndex& operator=(const UnexpectedIndex&) = delete;

  // The class of these criteria, holding all headers of the list; nullptr if they are to be walked:
  // because the criteria look at nothing, because all classes are busy with others, or without
  // memory. Valid until the next call. REQUIRES: the list is not empty. O(1) and one step per
  // header that arrived since the class was searched last. May allocate.
  const Class* prepare(const MatchCriteria& criteria);

  // The first header in list order that the criteria admit, and the one after such a header;
  // nullptr if there is none. REQUIRES: `kind` is what prepare() gave for the criteria, and nothing
  // was appended since. O(1).
  UnexpectedHeader* first(const Class& kind, const MatchCriteria& criteria) const;
  UnexpectedHeader* next(const Class& kind, const UnexpectedHeader& header) const;

  // Takes the header out of every class that has it. REQUIRES: it is linked in the list. One step
  // per such class, at most kClasses; allocates nothing.
  void remove(UnexpectedHeader& header) {
    if (header.place_ != kNoPlace) forget(header);
  }

 private:
  union Place {
    UnexpectedHeader* header;
    std::uint32_t next_free;
  };

  Class* class_for(const MatchCriteria& criteria);
  bool catch_up(Class& kind);
  bool enter(Class& kind, UnexpectedHeader& header);
  void unlink(Class& kind, const UnexpectedHeader& header);
  void forget(UnexpectedHeader& header);
  bool give_place(UnexpectedHeader& header);

  OrderedHeaders& headers_;
  std::unique_ptr<Class[]> classes_;  // kClasses, from the first search on
  std::uint64_t searches_ = 0;
  std::unique_ptr<Place[]> places_;  // by UnexpectedHeader::place_
  std::uint32_t place_count_ = 0;
  std::uint32_t free_place_ = kNoPlace;  // first of the chain of places without header
};

}  // namespace lintel::portals
