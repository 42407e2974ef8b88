#pragma once
// Attributes: values that programs and libraries hang on communicators and datatypes (MPI 5.0,
// clause 7.7).
//
// Keyval: what a key does when its object is copied or ends. KeyvalTable: the keys that live.
// AttributeCache: the values of one object. Any thread may call any member. Callbacks run without a
// lock held, so they may call anything. Invariants: (1) a key that was freed lives on, number and
// all, until no value is set with it any more; (2) callbacks of one object run in the order in
// which its values were set when it is copied, and in the reverse order when it ends. A value that
// takes the place of another is set last. Does not: know the kinds of objects beyond a number, nor
// MPI's constants; error codes are those of the callbacks, 0 is none.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/slot_pool.h"

namespace lintel::mpi {

struct Keyval {
  // `object` is the handle's value of the object that is copied. Leaves `keep` false to leave the
  // value out of the copy.
  using Copy =
      std::function<int(std::uintptr_t object, int key, void* value, void** copied, bool* keep)>;
  using Delete = std::function<int(std::uintptr_t object, int key, void* value)>;

  int kind = 0;    // of objects that the key is for, as the caller numbers them
  int number = 0;  // as the program knows it
  Copy copy;       // none: values are not copied
  Delete remove;   // none: nothing to do
};
using KeyvalRef = std::shared_ptr<const Keyval>;

// Never destroyed before the last key.
class KeyvalTable {
 public:
  static constexpr int kFirstNumber = 1 << 28;  // below are predefined keys, and mistakes

  // The new key's number; 0 when 65,536 keys live.
  int create(int kind, Keyval::Copy copy, Keyval::Delete remove) LINTEL_EXCLUDES(mutex_);
  // The living key of that number and kind, or nothing. One that was freed lives as long as
  // somebody has it.
  KeyvalRef find(int number, int kind) LINTEL_EXCLUDES(mutex_);
  // False if there is none, or it was freed before.
  bool free(int number, int kind) LINTEL_EXCLUDES(mutex_);

 private:
  static constexpr unsigned kGenerationBits = 10;
  static SlotId slot_of(int number);
  // Of a key that nobody has any more.
  void forget(const Keyval* key) LINTEL_EXCLUDES(mutex_);

  struct Entry {
    std::weak_ptr<const Keyval> key;
    KeyvalRef held;  // until the program frees it
  };

  Mutex mutex_;
  SlotPool<Entry> keys_ LINTEL_GUARDED_BY(mutex_){1U << 16, kGenerationBits};
};

class AttributeCache {
 public:
  // Sets the value of `key`; a value that was there is deleted first, as remove() does it. If that
  // fails, its code is returned and the old value stays.
  int set(const KeyvalRef& key, void* value, std::uintptr_t object) LINTEL_EXCLUDES(mutex_);
  // False, `*value` untouched, if there is none.
  bool get(int number, void** value) const LINTEL_EXCLUDES(mutex_);
  // Deletes the value of one key. `*found` tells whether there was one; if the callback fails it
  // stays.
  int remove(int number, std::uintptr_t object, bool* found) LINTEL_EXCLUDES(mutex_);
  // Copies all values that their keys want copied to `copy`, which is empty and nobody else's yet.
  // At a failure the copies made are left there for the caller to remove with the object.
  int copy_to(AttributeCache& copy, std::uintptr_t object) const LINTEL_EXCLUDES(mutex_);
  // All values become those of `heir`, which has none.
  void give_to(AttributeCache& heir) LINTEL_EXCLUDES(mutex_);
  // Deletes all values, last set first. Stops at the first that fails and returns its code; that
  // one and the rest stay.
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
