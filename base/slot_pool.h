#pragma once
// SlotPool<T>: objects addressed by slot number and generation, so that a stale handle is
// recognised and never reaches another object.
//
// Owns its objects. Thread: none of its own; the caller's lock guards it.
// Invariants: (1) an object never moves; (2) the generation of a slot grows by one each time its
// object is destroyed, and is never 0; (3) the slot that has been free longest is reused first, so
// that a generation repeats as late as possible.
// Memory grows in blocks up to `limit` objects and is kept until the pool is destroyed. Does not:
// allocate in get() or destroy().

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/random_numbers.h"

namespace lintel {

struct SlotId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // 0: names no object
  friend constexpr bool operator==(const SlotId&, const SlotId&) = default;
  // Both as one number of 64 bits, such as a transport's context; 0 names no object.
  constexpr std::uint64_t packed() const { return (std::uint64_t{generation} << 32) | slot; }
  static constexpr SlotId unpack(std::uint64_t number) {
    return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  }
};

template <class T>
class SlotPool {
 public:
  // `generation_bits`: the width at which the generation wraps to 1, for handles that have no room
  // for 32 bits. `first_generation`: of every slot. A pool that replaces another one continues at
  // the other's next_generation(), so that handles of the other name nothing in it.
  explicit SlotPool(std::size_t limit, unsigned generation_bits = 32,
                    std::uint32_t first_generation = 1)
      : limit_(limit),
        generation_mask_(generation_bits >= 32 ? 0xffffffffU : (1U << generation_bits) - 1U),
        first_generation_(valid(first_generation)),
        newest_generation_(first_generation_) {}
  // The first generation of each slot is one of `numbers`, which lives longer, so that nobody who
  // has seen no handle of a slot can guess one.
  SlotPool(std::size_t limit, RandomNumbers& numbers) : SlotPool(limit) { numbers_ = &numbers; }
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;
  ~SlotPool() {
    for_each([this](SlotId id, T&) { destroy(id); });
  }

  // Makes an object. Returns {nullptr, {}} if `limit` objects exist already. Throws only what T's
  // constructor or the allocation throws.
  template <class... Args>
  std::pair<T*, SlotId> create(Args&&... args) {
    if (!has_free() && !grow()) return {nullptr, {}};
    const std::uint32_t slot = first_free_;
    Cell& cell = at(slot);
    T* object = new (cell.storage) T(std::forward<Args>(args)...);
    first_free_ = cell.next_free;
    if (first_free_ == kNoSlot) last_free_ = kNoSlot;
    cell.alive = true;
    ++size_;
    return {object, {slot, cell.generation}};
  }

  // Makes sure that the next create() needs no memory of its own. False: `limit` objects exist.
  // Throws what the allocation throws; nothing has changed then.
  bool reserve() { return has_free() || grow(); }

  // The object, or nullptr if `id` names none or one that was destroyed.
  T* get(SlotId id) {
    if (id.slot >= capacity()) return nullptr;
    Cell& cell = at(id.slot);
    return cell.alive && cell.generation == id.generation ? cell.object() : nullptr;
  }

  // The object that is in `slot` now, of any generation, or nullptr.
  T* find_slot(std::uint32_t slot) {
    if (slot >= capacity()) return nullptr;
    Cell& cell = at(slot);
    return cell.alive ? cell.object() : nullptr;
  }

  // Destroys the object. REQUIRES: get(id) != nullptr.
  void destroy(SlotId id) {
    T* object = get(id);
    LINTEL_ASSERT(object != nullptr);
    Cell& cell = at(id.slot);
    cell.alive = false;
    cell.generation = valid(cell.generation + 1);
    if (cell.generation > newest_generation_) newest_generation_ = cell.generation;
    object->~T();
    cell.next_free = kNoSlot;
    (last_free_ == kNoSlot ? first_free_ : at(last_free_).next_free) = id.slot;
    last_free_ = id.slot;
    --size_;
  }

  // Calls `visit(SlotId, T&)` for each object. `visit` may destroy that object, and no other.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t slot = 0; slot < capacity(); ++slot) {
      Cell& cell = at(slot);
      if (cell.alive) visit(SlotId{slot, cell.generation}, *cell.object());
    }
  }

  // A generation that no object of this pool has had, unless generations have wrapped.
  std::uint32_t next_generation() const { return valid(newest_generation_ + 1); }

  std::size_t size() const { return size_; }
  std::size_t limit() const { return limit_; }
  // The next create() needs no memory of its own.
  bool has_free() const { return first_free_ != kNoSlot; }
  // Objects for which there is memory, and for how many it is taken at once.
  std::size_t capacity() const { return blocks_.size() * kBlock; }
  static constexpr std::size_t kBlock = 64;
  // Bytes of memory for each.
  static constexpr std::size_t bytes_of_one() { return sizeof(Cell); }

 private:
  static constexpr std::uint32_t kNoSlot = 0xffffffffU;

  struct Cell {
    alignas(T) std::byte storage[sizeof(T)];
    std::uint32_t generation = 1;
    std::uint32_t next_free = kNoSlot;
    bool alive = false;
    T* object() { return std::launder(reinterpret_cast<T*>(storage)); }
  };

  std::uint32_t valid(std::uint32_t generation) const {
    return (generation & generation_mask_) != 0 ? generation & generation_mask_ : 1;
  }
  Cell& at(std::uint32_t slot) { return blocks_[slot / kBlock][slot % kBlock]; }

  [[gnu::cold]] bool grow() {
    const std::size_t begin = capacity();
    if (begin >= limit_) return false;
    blocks_.push_back(std::make_unique<Cell[]>(kBlock));
    const std::size_t end = begin + kBlock < limit_ ? begin + kBlock : limit_;
    for (std::size_t slot = begin; slot < end; ++slot) {
      at(static_cast<std::uint32_t>(slot)).generation =
          numbers_ == nullptr ? first_generation_
                              : valid(static_cast<std::uint32_t>(numbers_->next()));
      at(static_cast<std::uint32_t>(slot)).next_free =
          slot + 1 < end ? static_cast<std::uint32_t>(slot + 1) : kNoSlot;
    }
    first_free_ = static_cast<std::uint32_t>(begin);
    last_free_ = static_cast<std::uint32_t>(end - 1);
    return true;
  }

  std::size_t limit_;
  std::uint32_t generation_mask_;
  std::uint32_t first_generation_;
  std::uint32_t newest_generation_;
  RandomNumbers* numbers_ = nullptr;
  std::vector<std::unique_ptr<Cell[]>> blocks_;
  std::uint32_t first_free_ = kNoSlot;
  std::uint32_t last_free_ = kNoSlot;
  std::size_t size_ = 0;
};

}  // namespace lintel
