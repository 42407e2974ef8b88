#pragma once
// Items that reductions compute with, in memory of the library or of the program, and an
// accumulator that combines them in the order of ranks.
//
// Local, no communication; used by one thread.

#include <cstddef>
#include <memory>

#include "mpi_layer/mpi/functions/bound_reduction.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

// Items with the layout of the program's items. Memory of their own is uninitialised; other memory
// is borrowed.
class ReductionItems {
 public:
  ReductionItems() = default;  // no memory
  ReductionItems(DatatypeRef type, std::int64_t count);
  explicit ReductionItems(ItemBuffer items) : items_(std::move(items)) {}
  // In `memory`, which has bytes_of() bytes.
  ReductionItems(DatatypeRef type, std::int64_t count, std::byte* memory);
  static std::size_t bytes_of(const DatatypeRef& type, std::int64_t count);

  const ItemBuffer& all() const { return items_; }
  // Items [first, first + count).
  ItemBuffer range(std::int64_t first, std::int64_t count) const;
  void* address(std::int64_t first) const;

 private:
  std::unique_ptr<std::byte[]> memory_;
  ItemBuffer items_;
};

// The items of a rank, and room for items of others. At first they are its own values. Each step
// combines them with the values of neighbouring ranks. Operations need only be associative, because
// the caller says on which side the other ranks are.
//
// A step sends from own(), receives in others(), and combines both by put(), which may change where
// they are.
class Accumulator {
 public:
  // In memory of its own, which is uninitialised.
  Accumulator(const BoundReduction& reduction, const DatatypeRef& type, std::int64_t count);
  // Uses `own` as the items of the rank, which become the result. REQUIRES: the operation commutes.
  Accumulator(const BoundReduction& reduction, const ItemBuffer& own);
  // The values of the rank are in `in`, which is read and not copied: the first step receives those
  // of others in `result` and combines `in` with them there. From then on own() is in `result`, and
  // items outside the range of that step are undefined. `more`: further steps follow. REQUIRES: the
  // operation commutes; there is a step; the two buffers do not overlap.
  Accumulator(const BoundReduction& reduction, const ItemBuffer& in, const ItemBuffer& result,
              bool more);

  std::int64_t count() const { return own_.all().count; }
  bool commutes() const { return reduction_.commutes(); }
  // No step was made, and own() is in the program's send buffer, which is only read.
  bool stays() const { return !is_combined_; }
  ItemBuffer own() const { return own(0, count()); }
  ItemBuffer own(std::int64_t first, std::int64_t count) const {
    return (is_combined_ ? own_ : in_).range(first, count);
  }
  ItemBuffer others() const { return others(0, count()); }
  void* address_of_others() const { return room_for_others().address(0); }
  ItemBuffer others(std::int64_t first, std::int64_t count) const {
    return room_for_others().range(first, count);
  }
  // Where own() is in the end, for a rank that receives the result without a step of its own.
  ItemBuffer result() const { return own_.all(); }

  // own = others op own, for items [first, first + count) or all. The operands change places in the
  // first step of an accumulator that has `in`.
  void put_before(std::int64_t first, std::int64_t count);
  void put_before() { put_before(0, count()); }
  // own = own op others. Items outside the range are undefined afterwards: the operation writes to
  // its right operand, so the two memories are exchanged. If the items are in the program's memory,
  // they are not exchanged, and the result is others op own.
  void put_behind(std::int64_t first, std::int64_t count);
  void put_behind() { put_behind(0, count()); }
  // put_before() or put_behind().
  void put(bool before, std::int64_t first, std::int64_t count);
  void put(bool before) { put(before, 0, count()); }

 private:
  const ReductionItems& room_for_others() const { return is_combined_ ? others_ : own_; }

  const BoundReduction& reduction_;
  bool in_place_;
  // One block for both. With two blocks of half the size, the allocator returns them to the system
  // after each call, and page faults then cost more than everything else.
  std::unique_ptr<std::byte[]> memory_;
  ReductionItems own_;
  ReductionItems others_;
  bool is_combined_ = true;  // false: the values are in in_, and others() in own_
  ReductionItems in_;
};

}  // namespace lintel::mpi
