#include "portals/engine/match_index.h"

#include <new>
#include <utility>

#include "base/assert.h"

namespace lintel::portals {
namespace {

constexpr std::uint32_t kFirstSlots = 16;
constexpr std::uint32_t kMostSlots = 1U << 31;
// A sparse table ends most probes at once, without a mispredicted branch; beyond the size of a cache, density counts for more.
constexpr std::uint32_t kSparseSlots = 1U << 16;

std::uint64_t ignored_process(const MatchCriteria& criteria) {
  return (criteria.initiator.nid.value == kAnyId ? 0xffffffff00000000ULL : 0) |
         (criteria.initiator.pid.value == kAnyId ? 0xffffffffULL : 0);
}

bool same_key(const MatchCriteria& one, const MatchCriteria& other) {  // of one class
  return one.initiator == other.initiator && ((one.match_bits ^ other.match_bits) & ~one.ignore_bits) == 0;
}

}  // namespace

void MatchIndex::add(MatchEntry& entry) {
  if (walked_count_ >= kWalked) {
    const std::uint8_t number = class_for(entry.criteria_);
    if (number != kWalkedClass && classes_[number].make_room()) {
      Class& kind = classes_[number];
      Slot& slot = kind.slot_for(entry);
      if (!slot.first) ++kind.keys;
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
  Class& kind = classes_[entry.index_class_];
  Slot& slot = kind.slot_for(entry);
  LINTEL_ASSERT(slot.first == &entry);
  unlink(slot.first, entry);
  if (slot.first) return;
  kind.erase(slot);
  if (kind.keys == 0) in_use_ &= ~(1U << entry.index_class_);
}

// Puts the entry at its place in the ring.
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

// The last of the ring that stands before the entry. REQUIRES: `first` does. Searches from both ends of the ring and from the entry's
// neighbours in the list; while the ends have not told, there is a member of the ring on either side, so no walk along the list can run
// out.
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

// `first` becomes the next when it was the entry, nullptr when that was the last.
void MatchIndex::unlink(MatchEntry*& first, MatchEntry& entry) {
  if (first == &entry) first = entry.index_next_ == &entry ? nullptr : entry.index_next_;
  entry.index_previous_->index_next_ = entry.index_next_;
  entry.index_next_->index_previous_ = entry.index_previous_;
  entry.index_next_ = entry.index_previous_ = nullptr;
}

// The class of these criteria, or kWalkedClass when all are taken by others. A class without entries may be given new criteria; one that
// never had any, or already has these, is preferred, because its table fits.
std::uint8_t MatchIndex::class_for(const MatchCriteria& criteria) {
  const std::uint64_t process_mask = ignored_process(criteria);
  const std::uint64_t kept_bits = ~criteria.ignore_bits;
  std::size_t unused = kClasses;
  for (std::size_t i = 0; i < kClasses; ++i) {
    const Class& kind = classes_[i];
    if (kind.slots && kind.process_mask == process_mask && kind.kept_bits == kept_bits) return static_cast<std::uint8_t>(i);
    const bool never_used = !kind.slots;
    if (kind.keys == 0 && (unused == kClasses || (never_used && classes_[unused].slots))) unused = i;
  }
  if (unused == kClasses) return kWalkedClass;
  classes_[unused] = Class{process_mask, kept_bits, nullptr, 0, 0};
  return static_cast<std::uint8_t>(unused);
}

// Room for one more key with a sparse table at most a quarter full, a large one at most half. False without memory; the table is unchanged
// then.
bool MatchIndex::Class::make_room() {
  const std::uint32_t size = slots ? slot_mask + 1 : 0;
  if (keys < (size <= kSparseSlots ? size / 4 : size / 2)) return true;
  if (size >= kMostSlots) return false;
  const std::uint32_t new_size = size == 0 ? kFirstSlots : size * 2;
  std::unique_ptr<Slot[]> grown(new (std::nothrow) Slot[new_size]());
  if (!grown) return false;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!slots[i].first) continue;
    std::uint64_t at = slots[i].hash & (new_size - 1);
    while (grown[at].first) at = (at + 1) & (new_size - 1);
    grown[at] = slots[i];
  }
  slots = std::move(grown);
  slot_mask = new_size - 1;
  return true;
}

// The slot of the entry's key; one that is free but carries the hash when there is none yet.
MatchIndex::Slot& MatchIndex::Class::slot_for(const MatchEntry& entry) {
  const std::uint64_t wanted = hash(joined(entry.criteria_.initiator), entry.criteria_.match_bits);
  std::uint64_t at = wanted & slot_mask;
  while (slots[at].first && !(slots[at].hash == wanted && same_key(slots[at].first->criteria_, entry.criteria_))) at = (at + 1) & slot_mask;
  slots[at].hash = wanted;
  return slots[at];
}

// Frees the slot and moves later ones back, so that no probe meets a hole before its key.
void MatchIndex::Class::erase(Slot& slot) {
  std::uint64_t hole = static_cast<std::uint64_t>(&slot - slots.get());
  for (std::uint64_t at = (hole + 1) & slot_mask; slots[at].first; at = (at + 1) & slot_mask) {
    const std::uint64_t distance_from_home = (at - (slots[at].hash & slot_mask)) & slot_mask;
    const std::uint64_t distance_from_hole = (at - hole) & slot_mask;
    if (distance_from_home < distance_from_hole) continue;
    slots[hole] = slots[at];
    hole = at;
  }
  slots[hole].first = nullptr;
  --keys;
}

}  // namespace lintel::portals
