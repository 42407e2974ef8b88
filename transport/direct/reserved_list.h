#pragma once
// ReservedList: a list that is written where a lack of memory could not be handled, so its room is
// made in advance.
//
// Invariant: only reserve() allocates. To add more than there is room for is a defect of the owner,
// and asserted.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/assert.h"

namespace lintel::transport {

template <class T>
class ReservedList {
 public:
  // Makes room for so many elements, and for twice as many as before if it has to grow. Throws
  // std::bad_alloc; nothing has changed then.
  void reserve(std::size_t elements) {
    const std::size_t room = items_.capacity();
    if (room < elements) items_.reserve(std::max(elements, 2 * room));
  }
  // At the end. REQUIRES: there is room.
  void add(const T& item) {
    // In this form the compiler sees that push_back() does not grow the vector.
    LINTEL_ASSERT(items_.data() + items_.size() != items_.data() + items_.capacity());
    items_.push_back(item);
  }
  // The others keep their order. No effect if it is not there.
  void remove(T item) { std::erase(items_, item); }
  template <class Predicate>
  void remove_if(Predicate goes) {
    std::erase_if(items_, goes);
  }
  // The last element takes the place of this one. REQUIRES: at < size().
  void remove_unordered(std::size_t at) {
    items_[at] = items_.back();
    items_.pop_back();
  }
  // REQUIRES: !empty().
  T take_last() {
    const T last = items_.back();
    items_.pop_back();
    return last;
  }
  void clear() { items_.clear(); }

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const T& operator[](std::size_t at) const { return items_[at]; }
  const T& back() const { return items_.back(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

  void swap(ReservedList& other) { items_.swap(other.items_); }

 private:
  std::vector<T> items_;
};

}  // namespace lintel::transport
