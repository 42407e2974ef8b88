#pragma once
// KeyTable: a hash table from a key to the first of the things that have that key. The table does
// not store keys. Both indexes of a portal use it.
//
// Open addressing with linear probing; removal moves followers back, so there are no tombstones and
// a miss stays short.
// Owned by a class of an index; borrows the things. Guarded by the process' lock.
// Memory: 16 bytes per slot; doubles when a quarter full, from kSparseSlots slots on when half
// full. Does not: compare keys or hash them.

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace lintel::portals {

template <class Thing, std::uint32_t kFirstSlots>
class KeyTable {
 public:
  struct KeySlot {
    std::uint64_t hash = 0;
    Thing* first = nullptr;  // of one key; nullptr = free
  };

  // Whether make_room() has succeeded once.
  bool allocated() const { return slots_ != nullptr; }
  std::uint32_t keys() const { return keys_; }

  // The slot of the key: the one with this hash for whose first thing `same(const Thing&)` is true.
  // A free slot if there is none. REQUIRES: allocated().
  template <class Same>
  KeySlot& find(std::uint64_t hash, Same&& same) const {
    for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      KeySlot& slot = slots_[at];
      if (!slot.first || (slot.hash == hash && same(*slot.first))) return slot;
    }
  }

  // Gives a key to a slot that find() has returned as free. The caller sets `first`. REQUIRES:
  // make_room() since the last occupy().
  void occupy(KeySlot& slot, std::uint64_t hash) {
    slot.hash = hash;
    ++keys_;
  }

  // Makes room for one more key. False: there is no memory, and the table is unchanged.
  bool make_room();

  // Frees the slot and moves later ones back, so that no probe meets a free slot before its key.
  void erase(const KeySlot& slot);

 private:
  static constexpr std::uint32_t kMostSlots = 1U << 31;
  // In a sparse table most probes end at once, without a mispredicted branch. In a table larger
  // than a cache, density matters more.
  static constexpr std::uint32_t kSparseSlots = 1U << 16;

  std::unique_ptr<KeySlot[]> slots_;
  std::uint32_t mask_ = 0;  // number of slots - 1; 0 = none yet
  std::uint32_t keys_ = 0;
};

template <class Thing, std::uint32_t kFirstSlots>
bool KeyTable<Thing, kFirstSlots>::make_room() {
  const std::uint32_t size = slots_ ? mask_ + 1 : 0;
  if (keys_ < (size <= kSparseSlots ? size / 4 : size / 2)) return true;
  if (size >= kMostSlots) return false;
  const std::uint32_t new_size = size == 0 ? kFirstSlots : size * 2;
  std::unique_ptr<KeySlot[]> grown(new (std::nothrow) KeySlot[new_size]());
  if (!grown) return false;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!slots_[i].first) continue;
    std::uint64_t at = slots_[i].hash & (new_size - 1);
    while (grown[at].first) at = (at + 1) & (new_size - 1);
    grown[at] = slots_[i];
  }
  slots_ = std::move(grown);
  mask_ = new_size - 1;
  return true;
}

template <class Thing, std::uint32_t kFirstSlots>
void KeyTable<Thing, kFirstSlots>::erase(const KeySlot& slot) {
  std::uint64_t hole = static_cast<std::uint64_t>(&slot - slots_.get());
  for (std::uint64_t at = (hole + 1) & mask_; slots_[at].first; at = (at + 1) & mask_) {
    const std::uint64_t distance_from_home = (at - slots_[at].hash) & mask_;
    const std::uint64_t distance_from_hole = (at - hole) & mask_;
    if (distance_from_home < distance_from_hole) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole].first = nullptr;
  --keys_;
}

}  // namespace lintel::portals
