#pragma once
// TypeBuilder: makes a derived datatype from copies of others. Every type constructor of MPI uses
// it.
//
// Used by one thread for one type: add(), optionally set_bounds(), then build() once.
// Invariant: once a size or displacement does not fit in 63 bits, the builder adds nothing more,
// and build() returns nothing.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

class TypeBuilder {
 public:
  // Appends `copies` items of `type` to the type map: the first at `offset`, each next one `stride`
  // bytes behind the one before.
  void add(const DatatypeRef& type, CheckedNumber offset, std::int64_t copies,
           CheckedNumber stride);
  // Appends `count` blocks, `stride` bytes apart. Each has `block_items` items, one extent apart.
  void add_blocks(const DatatypeRef& type, CheckedNumber offset, std::int64_t count,
                  std::int64_t block_items, CheckedNumber stride);
  // Sets the bounds, whatever those of the parts are.
  void set_bounds(CheckedNumber lower, CheckedNumber upper);

  // The datatype, not committed; null if a number does not fit in 63 bits. If nothing was added, it
  // is empty, which is legal.
  std::shared_ptr<Datatype> build(Contents contents);

  // The parts and the geometry apart, for who makes a Datatype of another kind. As build(): once.
  std::optional<Shape> finish_shape();
  std::vector<Part> finish_parts() { return std::move(parts_); }

 private:
  // A range that grows when ranges are merged into it; empty at first.
  struct ByteRange {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    bool any = false;
    void merge(std::int64_t from, std::int64_t to);
  };

  void add_shape(const Shape& shape, CheckedNumber offset, std::int64_t copies,
                 CheckedNumber stride);
  // Merges the range of `copies` of [lower, upper) into `range`. Records overflow.
  void merge_copies(ByteRange& range, std::int64_t lower, std::int64_t upper, CheckedNumber offset,
                    CheckedNumber span);

  LayoutBuilder layout_;
  ByteRange data_;
  ByteRange markers_;
  CheckedNumber size_ = 0;
  CheckedNumber elements_ = 0;
  std::int64_t alignment_ = 1;
  bool fits_ = true;
  std::vector<Part> parts_;
};

}  // namespace lintel::mpi
