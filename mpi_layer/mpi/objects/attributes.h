#pragma once
// Attributes: values that programs and libraries attach to communicators and datatypes (MPI 5.0,
// clause 7.7).
//
// Keyval: what a key does when its object is copied or ends. KeyvalTable: the existing keys.
// AttributeCache: the values of one object. Any thread may call any member. Callbacks run without a
// lock held, so they may call anything.
// Invariants: (1) a key that was freed keeps its number and exists until no value uses it any more;
// (2) when an object is copied, its callbacks run in the order in which its values were set, and
// when it ends, in the reverse order. A value that replaces another counts as set last.
// Does not: know the kinds of objects except as numbers, or MPI's constants. Error codes are those
// of the callbacks; 0 is no error.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/slot_pool.h"

namespace lintel::mpi {

struct Keyval {
  // `object` is the handle value of the object that is copied. If `keep` stays false, the value is
  // not copied.
  using Copy =
      std::function<int(std::uintptr_t object, int key, void* value, void** copied, bool* keep)>;
  using Delete = std::function<int(std::uintptr_t object, int key, void* value)>;

  int kind = 0;    // of the objects of this key; the caller numbers kinds
  int number = 0;  // the value that the program sees
  Copy copy;       // none: values are not copied
  Delete remove;   // none: nothing to do
};
using KeyvalRef = std::shared_ptr<const Keyval>;

// It is not destroyed before the last key.
class KeyvalTable {
 public:
  static constexpr int kFirstNumber = 1 << 28;  // lower numbers are predefined keys or invalid

  // The number of the new key; 0 if there are 65,536 keys.
  int create(int kind, Keyval::Copy copy, Keyval::Delete remove) LINTEL_EXCLUDES(mutex_);
  // The key of that number and kind, or nothing. A freed key is found as long as a value uses it.
  KeyvalRef find(int number, int kind) LINTEL_EXCLUDES(mutex_);
  // False if there is no such key, or if it was freed before.
  bool free(int number, int kind) LINTEL_EXCLUDES(mutex_);

 private:
  static constexpr unsigned kGenerationBits = 10;
  static SlotId slot_of(int number);
  // Removes a key to which there are no references any more.
  void forget(const Keyval* key) LINTEL_EXCLUDES(mutex_);

  struct KeyvalEntry {
    std::weak_ptr<const Keyval> key;
    KeyvalRef held;  // until the program frees it
  };

  Mutex mutex_;
  SlotPool<KeyvalEntry> keys_ LINTEL_GUARDED_BY(mutex_){1U << 16, kGenerationBits};
};

class AttributeCache {
 public:
  // Sets the value of `key`. An old value is deleted first, as by remove(). If that fails, its code
  // is returned and the old value stays.
  int set(const KeyvalRef& key, void* value, std::uintptr_t object) LINTEL_EXCLUDES(mutex_);
  // False if there is no value; then `*value` is not changed.
  bool get(int number, void** value) const LINTEL_EXCLUDES(mutex_);
  // Deletes the value of one key. `*found`: whether there was one. If the callback fails, the value
  // stays.
  int remove(int number, std::uintptr_t object, bool* found) LINTEL_EXCLUDES(mutex_);
  // Copies all values whose keys have a copy callback to `copy`, which must be empty and not shared
  // yet. After a failure, the copies that were made stay there, and the caller removes them with
  // the object.
  int copy_to(AttributeCache& copy, std::uintptr_t object) const LINTEL_EXCLUDES(mutex_);
  // Moves all values to `target`, which must have none.
  void move_to(AttributeCache& target) LINTEL_EXCLUDES(mutex_);
  // Deletes all values, the last set first. Stops at the first callback that fails and returns its
  // code; that value and the rest stay.
  int remove_all(std::uintptr_t object) LINTEL_EXCLUDES(mutex_);

 private:
  struct Attribute {
    KeyvalRef key;
    void* value;
  };

  mutable Mutex mutex_;
  std::vector<Attribute> attributes_ LINTEL_GUARDED_BY(mutex_);
};

}  // namespace lintel::mpi
