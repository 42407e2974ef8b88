#include "mpi_layer/mpi/runtime/accumulator.h"

#include <utility>

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

namespace {

// The memory from the lowest to the highest byte of all items. Extents may be shorter than the
// data, or negative.
struct Reach {
  Reach(const Shape& shape, std::int64_t count) {
    const std::int64_t last = count > 0 ? (count - 1) * shape.extent() : 0;
    low = shape.true_lower_bound + (last < 0 ? last : 0);
    high = shape.true_upper_bound + (last > 0 ? last : 0);
  }
  std::int64_t low;
  std::int64_t high;
};

ItemBuffer items_in(std::byte* memory, DatatypeRef type, std::int64_t count) {
  const Reach reach(type->shape(), count);
  return {std::move(type), number_of(memory) - static_cast<std::uintptr_t>(reach.low), count};
}

}  // namespace

std::size_t ReductionItems::bytes_of(const DatatypeRef& type, std::int64_t count) {
  const Reach reach(type->shape(), count);
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  return (static_cast<std::size_t>(reach.high - reach.low) / kAlignment + 1) * kAlignment;
}

ReductionItems::ReductionItems(DatatypeRef type, std::int64_t count) {
  memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes_of(type, count));
  items_ = items_in(memory_.get(), std::move(type), count);
}

ReductionItems::ReductionItems(DatatypeRef type, std::int64_t count, std::byte* memory)
    : items_(items_in(memory, std::move(type), count)) {}

ItemBuffer ReductionItems::range(std::int64_t first, std::int64_t count) const {
  return {items_.type,
          items_.address + static_cast<std::uintptr_t>(first * items_.type->shape().extent()),
          count};
}

void* ReductionItems::address(std::int64_t first) const {
  // NOLINT(performance-no-int-to-ptr): of memory_
  return reinterpret_cast<void*>(range(first, 0).address);
}

Accumulator::Accumulator(const BoundReduction& reduction, const DatatypeRef& type,
                         std::int64_t count)
    : reduction_(reduction),
      in_place_(false),
      memory_(
          std::make_unique_for_overwrite<std::byte[]>(2 * ReductionItems::bytes_of(type, count))),
      own_(type, count, memory_.get()),
      others_(type, count, memory_.get() + ReductionItems::bytes_of(type, count)) {}

Accumulator::Accumulator(const BoundReduction& reduction, const ItemBuffer& own)
    : reduction_(reduction),
      in_place_(true),
      memory_(std::make_unique_for_overwrite<std::byte[]>(
          ReductionItems::bytes_of(own.type, own.count))),
      own_(own),
      others_(own.type, own.count, memory_.get()) {}

Accumulator::Accumulator(const BoundReduction& reduction, const ItemBuffer& in,
                         const ItemBuffer& result, bool more)
    : reduction_(reduction), in_place_(true), own_(result), is_combined_(false), in_(in) {
  if (more) others_ = ReductionItems(result.type, result.count);
}

void Accumulator::put_before(std::int64_t first, std::int64_t count) {
  const ReductionItems& left = std::exchange(is_combined_, true) ? others_ : in_;
  reduction_.apply(left.address(first), own_.address(first), count);
}

void Accumulator::put_behind(std::int64_t first, std::int64_t count) {
  if (in_place_) return put_before(first, count);
  reduction_.apply(own_.address(first), others_.address(first), count);
  std::swap(own_, others_);
}

void Accumulator::put(bool before, std::int64_t first, std::int64_t count) {
  if (before) {
    put_before(first, count);
  } else {
    put_behind(first, count);
  }
}

}  // namespace lintel::mpi
