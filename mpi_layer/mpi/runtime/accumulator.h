#pragma once
// What reductions compute with: items, in memory of the library's own or the program's, and an
// accumulator that combines them in the order of ranks.
//
// Local, no communication; used by one thread.

#include <cstddef>
#include <memory>

#include "mpi_layer/mpi/functions/bound_reduction.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

// Items laid out as the program's are. Memory of their own begins with no values, other memory is
// borrowed.
class ReductionItems {
 public:
  ReductionItems(DatatypeRef type, std::int64_t count);
  explicit ReductionItems(ItemBuffer items) : items_(std::move(items)) {}
  // In `memory`, of bytes_of() them.
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

// A rank's items, which begin as its own and become results for more and more neighbouring ranks,
// and room for those of others. Operations need be associative only: the caller says on which side
// of its own ranks the others are.
class Accumulator {
 public:
  // In memory of its own, which begins with no values.
  Accumulator(const BoundReduction& reduction, const DatatypeRef& type, std::int64_t count);
  // Its rank's items are `own`, and end there as the result. REQUIRES: the operation commutes.
  Accumulator(const BoundReduction& reduction, const ItemBuffer& own);

  std::int64_t count() const { return own_.all().count; }
  bool commutes() const { return reduction_.commutes(); }
  ItemBuffer own() const { return own_.all(); }
  ItemBuffer own(std::int64_t first, std::int64_t count) const { return own_.range(first, count); }
  ItemBuffer others() const { return others_.all(); }
  void* address_of_others() const { return others_.address(0); }
  ItemBuffer others(std::int64_t first, std::int64_t count) const {
    return others_.range(first, count);
  }

  // own = others op own, for items [first, first + count) or all.
  void put_before(std::int64_t first, std::int64_t count);
  void put_before() { put_before(0, count()); }
  // own = own op others. Items out of the range have no value afterwards: the operation writes to
  // its right operand, so the two change places. In the program's memory nothing changes places,
  // and it is others op own.
  void put_behind(std::int64_t first, std::int64_t count);
  void put_behind() { put_behind(0, count()); }
  // One of these.
  void put(bool before, std::int64_t first, std::int64_t count);
  void put(bool before) { put(before, 0, count()); }

 private:
  const BoundReduction& reduction_;
  bool in_place_;
  // One block for all: the allocator gives two of half the size back to the system after each call,
  // and page faults then cost more than all else.
  std::unique_ptr<std::byte[]> memory_;
  ReductionItems own_;
  ReductionItems others_;
};

}  // namespace lintel::mpi
