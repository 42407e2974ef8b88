#include "mpi_layer/mpi/objects/array_types.h"

#include <algorithm>
#include <utility>

#include "mpi_layer/mpi/objects/type_builder.h"

namespace lintel::mpi {

namespace {

// The type `taken` with the bounds of an array of `bytes` bytes.
std::shared_ptr<Datatype> within_bounds(const DatatypeRef& taken, CheckedNumber bytes,
                                        Contents contents) {
  TypeBuilder array;
  array.add(taken, 0, 1, 0);
  array.set_bounds(0, bytes);
  return array.build(std::move(contents));
}

// A non-negative number. One that does not fit becomes the greatest that fits, which is greater
// than every index of an array.
std::int64_t saturated(CheckedNumber number) { return number.fits() ? number.value() : INT64_MAX; }

// Blocks distributed cyclically: whole blocks at equal distances, then the rest of the last one.
std::shared_ptr<Datatype> share_of(const DatatypeRef& row, const Share& share,
                                   CheckedNumber stride) {
  // a block may be longer than the dimension
  const std::int64_t items = std::min(share.block, share.size);
  const std::int64_t first = saturated(CheckedNumber(share.process) * items);
  const std::int64_t round = saturated(CheckedNumber(share.processes) * items);
  const std::int64_t after_first = std::max<std::int64_t>(share.size - first, 0);
  const std::int64_t whole = after_first / round + (after_first % round >= items ? 1 : 0);
  const std::int64_t rest_begin = saturated(CheckedNumber(first) + CheckedNumber(whole) * round);
  const std::int64_t rest = std::clamp<std::int64_t>(share.size - rest_begin, 0, items);
  TypeBuilder block;
  block.add(row, 0, items, stride);
  const DatatypeRef one = block.build({});
  if (!one) return nullptr;
  TypeBuilder dealt;
  dealt.add(one, stride * first, whole, stride * round);
  dealt.add(row, stride * rest_begin, rest, stride);
  return dealt.build({});
}

}  // namespace

std::shared_ptr<Datatype> make_subarray(const DatatypeRef& element, std::span<const Slab> slabs,
                                        Contents contents) {
  DatatypeRef taken = element;
  CheckedNumber stride = element->shape().extent();
  for (const Slab& slab : slabs) {
    TypeBuilder dimension;
    dimension.add(taken, stride * slab.start, slab.taken, stride);
    taken = dimension.build({});
    if (!taken) return nullptr;
    stride = stride * slab.size;
  }
  return within_bounds(taken, stride, std::move(contents));
}

std::shared_ptr<Datatype> make_distributed_array(const DatatypeRef& element,
                                                 std::span<const Share> shares, Contents contents) {
  DatatypeRef taken = element;
  CheckedNumber stride = element->shape().extent();
  for (const Share& share : shares) {
    taken = share_of(taken, share, stride);
    if (!taken) return nullptr;
    stride = stride * share.size;
  }
  return within_bounds(taken, stride, std::move(contents));
}

}  // namespace lintel::mpi
