#pragma once
// HeldCompletions: what was read from the completion queue and is not reported yet. poll() keeps a
// batch here; prepare_wait() and withdraw_placement() keep what they read for the next poll().
//
// Owned by FabricTransport; guarded by its owner's lock.
// Invariant: there is room before anything is read, because what cannot be kept would be lost.

#include <rdma/fi_eq.h>

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <new>

namespace lintel::transport {

class HeldCompletions {
 public:
  // Makes room for so many completions, and errors. Throws what the allocation throws.
  void allocate(std::size_t entries) {
    entries_.set_capacity(entries);
    errors_.set_capacity(entries);
  }
  // Makes room for one more completion and one more error. False: there is no memory for it.
  [[gnu::cold]] bool make_room() {
    try {
      if (entries_.full()) entries_.set_capacity(2 * entries_.capacity());
      if (errors_.full()) errors_.set_capacity(2 * errors_.capacity());
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  bool empty() const { return entries_.empty() && errors_.empty(); }
  void add(const fi_cq_data_entry* entries, std::size_t count) {
    entries_.insert(entries_.end(), entries, entries + count);
  }
  [[gnu::cold]] void add_error(const fi_cq_err_entry& error) { errors_.push_back(error); }
  // Removes the oldest of its kind. False: there is none.
  bool take(fi_cq_data_entry& entry) { return take_first(entries_, entry); }
  bool take_error(fi_cq_err_entry& error) { return take_first(errors_, error); }

 private:
  template <class Entry>
  static bool take_first(boost::circular_buffer<Entry>& from, Entry& entry) {
    if (from.empty()) return false;
    entry = from.front();
    from.pop_front();
    return true;
  }

  boost::circular_buffer<fi_cq_data_entry> entries_;
  boost::circular_buffer<fi_cq_err_entry> errors_;
};

}  // namespace lintel::transport
