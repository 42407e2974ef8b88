#pragma once
// HandleTable<T>: maps handles of user-made objects to the objects.
//
// A handle is a number of 64 bits: kind, generation, slot. It is never a pointer to the object. So
// a handle that was freed, was made up or belongs to another kind of object is recognised as
// invalid without access to memory of the caller:
//   bits 63..58 kind (not 0)   57..26 generation (not 0)   25..0 slot
// Predefined handles are below 4096 and addresses of memory below 2^58, so neither has a kind.
//
// The integer of a handle (MPI_Comm_toint and similar) contains as much of it as fits in 31 bits:
//   bit 30 set   29..26 the lower bits of the generation   25..0 slot
// For a predefined handle it is its number. So the integer of a freed handle is invalid for the
// next 15 objects in its slot.
//
// Objects are shared with their finders. Any thread. find() takes a lock and a reference;
// predefined objects need no table.

#include <cstdint>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "base/slot_pool.h"

namespace lintel::mpi {

enum class ObjectKind : std::uint8_t {
  kNone = 0,
  kDatatype = 1,
  kOperation = 2,
  kGroup = 3,
  kInfo = 4,
  kCommunicator = 5,
  kRequest = 6,
  kMessage = 7,
  kErrorHandler = 8
};

template <class T>
class HandleTable {
 public:
  explicit HandleTable(ObjectKind kind) : kind_(kind) {}

  // The new handle; 0 if there are 2^26 objects already.
  std::uintptr_t add(std::shared_ptr<T> object) LINTEL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto [place, id] = objects_.create(Entry{std::move(object), 0});
    if (place == nullptr) return 0;
    place->generation = id.generation;
    return handle_of(id);
  }

  // The integer of the handle. It is `null`, the number of the kind's null handle, if the handle is
  // neither predefined nor of this table's kind.
  int integer_of(std::uintptr_t handle, std::uintptr_t null) const {
    if (handle < kPredefined) return static_cast<int>(handle);
    if (handle >> kKindShift != static_cast<std::uintptr_t>(kind_)) return static_cast<int>(null);
    const SlotId id = slot_of(handle);
    return static_cast<int>(kIntegerMark | ((id.generation & kIntegerGenerations) << kSlotBits) |
                            id.slot);
  }
  // The handle with this integer; `null` if there is none.
  std::uintptr_t of_integer(int integer, std::uintptr_t null) LINTEL_EXCLUDES(mutex_) {
    const auto bits = static_cast<std::uint32_t>(integer);
    if (bits < kPredefined) return bits;
    if (bits >> kIntegerShift != kIntegerMark >> kIntegerShift) return null;
    const std::uint32_t slot = bits & ((1U << kSlotBits) - 1);
    const MutexLock lock(mutex_);
    const Entry* const entry = objects_.find_slot(slot);
    if (entry == nullptr ||
        (entry->generation & kIntegerGenerations) != ((bits >> kSlotBits) & kIntegerGenerations))
      return null;
    return handle_of(SlotId{slot, entry->generation});
  }

  // The object, or null if the handle is not in this table.
  std::shared_ptr<T> find(std::uintptr_t handle) LINTEL_EXCLUDES(mutex_) {
    if (handle >> kKindShift != static_cast<std::uintptr_t>(kind_)) return nullptr;
    const MutexLock lock(mutex_);
    const Entry* const entry = objects_.get(slot_of(handle));
    return entry != nullptr ? entry->object : nullptr;
  }

  // Removes the handle and returns its object, or null if it is not in this table. If two threads
  // remove one handle, one of them gets the object.
  std::shared_ptr<T> remove(std::uintptr_t handle) LINTEL_EXCLUDES(mutex_) {
    if (handle >> kKindShift != static_cast<std::uintptr_t>(kind_)) return nullptr;
    const MutexLock lock(mutex_);
    Entry* const entry = objects_.get(slot_of(handle));
    if (entry == nullptr) return nullptr;
    std::shared_ptr<T> removed = std::move(entry->object);
    objects_.destroy(slot_of(handle));
    return removed;
  }

 private:
  static constexpr unsigned kSlotBits = 26;
  static constexpr unsigned kKindShift = 58;
  static constexpr std::uint32_t kPredefined = 4096;
  static constexpr unsigned kIntegerShift = 30;
  static constexpr std::uint32_t kIntegerMark = 1U << kIntegerShift;
  static constexpr std::uint32_t kIntegerGenerations = (1U << (kIntegerShift - kSlotBits)) - 1;
  static_assert(sizeof(std::uintptr_t) == 8);

  struct Entry {
    std::shared_ptr<T> object;
    std::uint32_t generation;
  };

  std::uintptr_t handle_of(SlotId id) const {
    return (static_cast<std::uintptr_t>(kind_) << kKindShift) |
           (static_cast<std::uintptr_t>(id.generation) << kSlotBits) | id.slot;
  }
  static SlotId slot_of(std::uintptr_t handle) {
    return {static_cast<std::uint32_t>(handle & ((1U << kSlotBits) - 1)),
            static_cast<std::uint32_t>(handle >> kSlotBits)};
  }

  const ObjectKind kind_;
  Mutex mutex_;
  SlotPool<Entry> objects_ LINTEL_GUARDED_BY(mutex_){std::size_t{1} << kSlotBits};
};

}  // namespace lintel::mpi
