#pragma once
// MatchIndex: finds the first matchable entry for a request without walking the match list.
//
// Entries whose criteria use the same parts of a request (nid or not, pid or not, which match bits)
// form a class. Within a class, equal keys mean a match. So each class is a hash table from a key
// to the ring of its entries in list order. find() looks into every class in use and takes the
// candidate that is first in the list. The first few entries, and those for which no class is free,
// are in one ring that is walked.
//
// Owned by a MatchList, whose ordered list it borrows with the entries. Guarded by the process'
// lock.
// Invariants: (1) an entry is in exactly one ring, the rings are sorted by order_, and a table's
// slot names the first of its ring;
// (2) a class is probed exactly while it has entries; (3) at most kWalked entries are walked,
// unless more than kClasses kinds of criteria are in use at a time, or there was no memory.
// Memory: tables of 16 bytes per slot, which double when a quarter full, from 65,536 slots on when
// half full; so 64 to 128 bytes per key, 32 to 64 for many keys. A table keeps its size until its
// class is given to other criteria. Does not: allocate in find() or remove(), or set order_
// (match_list.h).

#include <array>
#include <bit>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "portals/engine/matching/key_table.h"
#include "portals/engine/matching/match_entry.h"

namespace lintel::portals {

class MatchIndex {
 public:
  static constexpr std::size_t kClasses = 16;
  static constexpr std::size_t kWalked = 4;
  using EntryOrderHook =
      boost::intrusive::member_hook<MatchEntry, boost::intrusive::list_member_hook<>,
                                    &MatchEntry::order_link_>;
  using OrderedEntries = boost::intrusive::list<MatchEntry, EntryOrderHook>;

  // REQUIRES: `entries`, the list in which every entry of the index is linked, outlives the index.
  explicit MatchIndex(OrderedEntries& entries) : entries_(entries) {}
  MatchIndex(const MatchIndex&) = delete;
  MatchIndex& operator=(const MatchIndex&) = delete;

  // Adds the entry, so that find() can return it. REQUIRES: it has its place in the list and is not
  // in the index. O(1) amortised, except for the search of its place among entries of the same key:
  // from both ends of their ring and from the entry's neighbours in the list, whichever is nearer.
  // May allocate. Without memory the entry is put into the ring that is walked.
  void add(MatchEntry& entry);

  // Removes the entry. REQUIRES: it is in the index. O(1).
  void remove(MatchEntry& entry);

  // The first entry in order that admits the request and for which `accepts(MatchEntry&)` is true,
  // or nullptr. `accepts` is called in list order, once per entry, and must not change the list.
  template <class Accepts>
  MatchEntry* find(ProcessId initiator, std::uint64_t match_bits, Accepts&& accepts) const {
    if (in_use_ == 0) {
      for (MatchEntry* entry = first_walked(initiator, match_bits); entry;
           entry = next_admitting(*entry, initiator, match_bits)) {
        if (accepts(*entry)) return entry;
      }
      return nullptr;
    }
    std::array<MatchEntry*, kClasses + 1> candidates;  // the next entry of each ring that has one
    std::size_t count = 0;
    if (MatchEntry* entry = first_walked(initiator, match_bits)) candidates[count++] = entry;
    const std::uint64_t process = joined(initiator);
    for (std::uint32_t rest = in_use_; rest != 0; rest &= rest - 1) {
      const EntryClass& kind = classes_[static_cast<std::size_t>(std::countr_zero(rest))];
      if (MatchEntry* entry = kind.lookup(process, initiator, match_bits))
        candidates[count++] = entry;
    }
    while (count != 0) {
      std::size_t first = 0;
      for (std::size_t other = 1; other < count; ++other) {
        if (candidates[other]->order_ < candidates[first]->order_) first = other;
      }
      if (accepts(*candidates[first])) return candidates[first];
      candidates[first] = next_admitting(*candidates[first], initiator, match_bits);
      if (!candidates[first]) candidates[first] = candidates[--count];
    }
    return nullptr;
  }

 private:
  static constexpr std::uint8_t kWalkedClass = 0xff;

  using EntryKeys = KeyTable<MatchEntry, 16>;  // the first of the ring of one key

  struct EntryClass {
    std::uint64_t process_mask = 0;  // 1 for bits of the initiator that are ignored
    std::uint64_t kept_bits = 0;     // 1 for match bits that are compared
    EntryKeys table;

    std::uint64_t hash(std::uint64_t process, std::uint64_t match_bits) const {
      return mix(process | process_mask, match_bits & kept_bits);
    }

    MatchEntry* lookup(std::uint64_t process, ProcessId initiator, std::uint64_t match_bits) const {
      return table
          .find(hash(process, match_bits),
                [&](const MatchEntry& first) {
                  return first.criteria_.admits(initiator, match_bits);
                })
          .first;
    }
  };

  // The slot of the entry's key, or a free one.
  static EntryKeys::KeySlot& slot_for(const EntryClass& kind, const MatchEntry& entry,
                                      std::uint64_t hash);
  static std::uint64_t hash_of(const EntryClass& kind, const MatchEntry& entry) {
    return kind.hash(joined(entry.criteria_.initiator), entry.criteria_.match_bits);
  }

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Product = unsigned __int128;
    const Product product = Product{a ^ 0x9E3779B97F4A7C15ULL} * (b ^ 0xD1B54A32D192ED03ULL);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  MatchEntry* first_walked(ProcessId initiator, std::uint64_t match_bits) const {
    if (!walked_ || walked_->criteria_.admits(initiator, match_bits)) return walked_;
    return next_admitting(*walked_, initiator, match_bits);
  }

  // The next of the ring that admits the request; nullptr at its end. The last entry's successor is
  // the first, which has a smaller order.
  static MatchEntry* next_admitting(const MatchEntry& entry, ProcessId initiator,
                                    std::uint64_t match_bits) {
    std::uint64_t order = entry.order_;
    MatchEntry* next = entry.index_next_;
    while (next->order_ > order && !next->criteria_.admits(initiator, match_bits)) {
      order = next->order_;
      next = next->index_next_;
    }
    return next->order_ > order ? next : nullptr;
  }

  void link(MatchEntry*& first, MatchEntry& entry);
  MatchEntry* predecessor(MatchEntry& first, MatchEntry& entry);
  static void unlink(MatchEntry*& first, MatchEntry& entry);
  std::uint8_t class_for(const MatchCriteria& criteria);

  OrderedEntries& entries_;
  MatchEntry* walked_ = nullptr;  // first of the ring that is walked
  std::size_t walked_count_ = 0;
  std::uint32_t in_use_ = 0;  // bit i: classes_[i] has entries
  std::array<EntryClass, kClasses> classes_;
};

}  // namespace lintel::portals
