#include "portals/engine/matching/match_index.h"

#include <utility>

#include "base/assert.h"

namespace lintel::portals {
namespace {

bool same_key(const MatchCriteria& one, const MatchCriteria& other) {  // of one class
  return one.initiator == other.initiator &&
         ((one.match_bits ^ other.match_bits) & ~one.ignore_bits) == 0;
}

}  // namespace

void MatchIndex::add(MatchEntry& entry) {
  if (walked_count_ >= kWalked) {
    const std::uint8_t number = class_for(entry.criteria_);
    if (number != kWalkedClass && classes_[number].table.make_room()) {
      EntryClass& kind = classes_[number];
      const std::uint64_t hash = hash_of(kind, entry);
      EntryKeys::KeySlot& slot = slot_for(kind, entry, hash);
      if (!slot.first) kind.table.occupy(slot, hash);
      entry.index_class_ = number;
      link(slot.first, entry);
      in_use_ |= 1U << number;
      return;
    }
  }
  entry.index_class_ = kWalkedClass;
  link(walked_, entry);
  ++walked_count_;
}

void MatchIndex::remove(MatchEntry& entry) {
  if (entry.index_class_ == kWalkedClass) {
    unlink(walked_, entry);
    --walked_count_;
    return;
  }
  const bool leads = entry.index_previous_->order_ >= entry.order_;
  if (!leads) {
    MatchEntry* unchanged = nullptr;
    unlink(unchanged, entry);
    return;
  }
  EntryClass& kind = classes_[entry.index_class_];
  EntryKeys::KeySlot& slot = slot_for(kind, entry, hash_of(kind, entry));
  LINTEL_ASSERT(slot.first == &entry);
  unlink(slot.first, entry);
  if (slot.first) return;
  kind.table.erase(slot);
  if (kind.table.keys() == 0) in_use_ &= ~(1U << entry.index_class_);
}

// Links the entry at its place in the ring.
void MatchIndex::link(MatchEntry*& first, MatchEntry& entry) {
  if (!first) {
    entry.index_next_ = entry.index_previous_ = &entry;
    first = &entry;
    return;
  }
  MatchEntry* before = first->index_previous_;
  if (entry.order_ < first->order_) {
    first = &entry;
  } else {
    before = predecessor(*first, entry);
  }
  MatchEntry* after = before->index_next_;
  entry.index_previous_ = before;
  entry.index_next_ = after;
  before->index_next_ = &entry;
  after->index_previous_ = &entry;
}

// The last entry of the ring that is before the entry. REQUIRES: `first` is before it. Searches
// from both ends of the ring and from the entry's neighbours in the list. Until the search from the
// ends succeeds, the ring has members on both sides of the entry, so the walk along the list finds
// one.
MatchEntry* MatchIndex::predecessor(MatchEntry& first, MatchEntry& entry) {
  const auto in_ring = [&entry](const MatchEntry& other) {
    return other.matchable_ && other.index_class_ == entry.index_class_ &&
           (entry.index_class_ == kWalkedClass || same_key(other.criteria_, entry.criteria_));
  };
  MatchEntry* from_tail = first.index_previous_;
  MatchEntry* from_head = &first;
  auto towards_head = entries_.iterator_to(entry);
  auto towards_tail = towards_head;
  for (;;) {
    if (from_tail->order_ < entry.order_) return from_tail;
    if (from_head->order_ > entry.order_) return from_head->index_previous_;
    if (in_ring(*--towards_head)) return &*towards_head;
    if (in_ring(*++towards_tail)) return towards_tail->index_previous_;
    from_tail = from_tail->index_previous_;
    from_head = from_head->index_next_;
  }
}

// If `first` is the entry, it becomes the next one, or nullptr if there is none.
void MatchIndex::unlink(MatchEntry*& first, MatchEntry& entry) {
  if (first == &entry) first = entry.index_next_ == &entry ? nullptr : entry.index_next_;
  entry.index_previous_->index_next_ = entry.index_next_;
  entry.index_next_->index_previous_ = entry.index_previous_;
  entry.index_next_ = entry.index_previous_ = nullptr;
}

// The class of these criteria, or kWalkedClass if all are in use for others. A class without
// entries may get new criteria. One that was never used, or already has these criteria, is
// preferred, because its table has the right size.
std::uint8_t MatchIndex::class_for(const MatchCriteria& criteria) {
  const std::uint64_t process_mask = ignored_process(criteria);
  const std::uint64_t kept_bits = ~criteria.ignore_bits;
  std::size_t unused = kClasses;
  for (std::size_t i = 0; i < kClasses; ++i) {
    const EntryClass& kind = classes_[i];
    if (kind.table.allocated() && kind.process_mask == process_mask && kind.kept_bits == kept_bits)
      return static_cast<std::uint8_t>(i);
    const bool never_used = !kind.table.allocated();
    if (kind.table.keys() == 0 &&
        (unused == kClasses || (never_used && classes_[unused].table.allocated())))
      unused = i;
  }
  if (unused == kClasses) return kWalkedClass;
  classes_[unused] = EntryClass{process_mask, kept_bits, {}};
  return static_cast<std::uint8_t>(unused);
}

MatchIndex::EntryKeys::KeySlot& MatchIndex::slot_for(const EntryClass& kind,
                                                     const MatchEntry& entry, std::uint64_t hash) {
  return kind.table.find(hash, [&entry](const MatchEntry& first) {
    return same_key(first.criteria_, entry.criteria_);
  });
}

}  // namespace lintel::portals
