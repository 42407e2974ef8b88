#include "mpi_layer/mpi/runtime/accumulator.h"

#include <utility>

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

ReductionItems::ReductionItems(DatatypeRef type, std::int64_t count) {
  const Shape& shape = type->shape();
  // Extents may be shorter than the data, or negative: from the lowest byte of any item to the highest.
  const std::int64_t last = count > 0 ? (count - 1) * shape.extent() : 0;
  const std::int64_t low = shape.true_lower_bound + (last < 0 ? last : 0);
  const std::int64_t high = shape.true_upper_bound + (last > 0 ? last : 0);
  memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(high - low) + 1);
  items_ = {std::move(type), number_of(memory_.get()) - static_cast<std::uintptr_t>(low), count};
}

ItemBuffer ReductionItems::range(std::int64_t first, std::int64_t count) const {
  return {items_.type, items_.address + static_cast<std::uintptr_t>(first * items_.type->shape().extent()), count};
}

void* ReductionItems::address(std::int64_t first) const {
  return reinterpret_cast<void*>(range(first, 0).address);  // NOLINT(performance-no-int-to-ptr): of memory_
}

Accumulator::Accumulator(const BoundReduction& reduction, const DatatypeRef& type, std::int64_t count)
    : reduction_(reduction), own_(type, count), others_(type, count) {}

void Accumulator::put_before(std::int64_t first, std::int64_t count) {
  reduction_.apply(others_.address(first), own_.address(first), count);
}

void Accumulator::put_behind(std::int64_t first, std::int64_t count) {
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
