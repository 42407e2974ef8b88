#include "mpi_layer/mpi/objects/type_builder.h"

#include <algorithm>
#include <utility>

namespace lintel::mpi {

void TypeBuilder::ByteRange::merge(std::int64_t from, std::int64_t to) {
  lower = any ? std::min(lower, from) : from;
  upper = any ? std::max(upper, to) : to;
  any = true;
}

void TypeBuilder::merge_copies(ByteRange& range, std::int64_t lower, std::int64_t upper,
                               CheckedNumber offset, CheckedNumber span) {
  // the first and the last copy: all others are between them
  for (const CheckedNumber begin : {offset, offset + span}) {
    const CheckedNumber from = begin + lower;
    const CheckedNumber to = begin + upper;
    if (!from.fits() || !to.fits()) {
      fits_ = false;
      return;
    }
    range.merge(from.value(), to.value());
  }
  // Distances within the type must fit too, because the layout uses them.
  if (!(CheckedNumber(range.upper) - range.lower).fits()) fits_ = false;
}

void TypeBuilder::add_shape(const Shape& shape, CheckedNumber offset, std::int64_t copies,
                            CheckedNumber stride) {
  if (copies == 0 || !fits_) return;
  if (shape.size > 0) size_ = size_ + CheckedNumber(shape.size) * copies;
  elements_ = elements_ + CheckedNumber(shape.elements) * copies;
  const CheckedNumber span = copies == 1 ? CheckedNumber(0) : CheckedNumber(copies - 1) * stride;
  if (!size_.fits() || !elements_.fits() || !offset.fits() || !span.fits()) {
    fits_ = false;
    return;
  }
  alignment_ = std::max(alignment_, shape.alignment);
  if (shape.size > 0)
    merge_copies(data_, shape.true_lower_bound, shape.true_upper_bound, offset, span);
  if (shape.explicit_bounds)
    merge_copies(markers_, shape.lower_bound, shape.upper_bound, offset, span);
  if (fits_ && shape.size > 0)
    layout_.append(shape.layout, offset.value(), copies, copies == 1 ? 0 : stride.value());
}

void TypeBuilder::add(const DatatypeRef& type, CheckedNumber offset, std::int64_t copies,
                      CheckedNumber stride) {
  add_shape(type->shape(), offset, copies, stride);
  if (!fits_ || copies == 0 || type->shape().elements == 0) return;
  if (!parts_.empty() && parts_.back().type == type) {
    parts_.back().copies += copies;
  } else {
    parts_.push_back({type, copies});
  }
}

void TypeBuilder::add_blocks(const DatatypeRef& type, CheckedNumber offset, std::int64_t count,
                             std::int64_t block_items, CheckedNumber stride) {
  if (count == 0 || block_items == 0) return;
  TypeBuilder one;
  one.add_shape(type->shape(), 0, block_items, type->shape().extent());
  const std::optional<Shape> block = one.finish_shape();
  if (!block) {
    fits_ = false;
    return;
  }
  add_shape(*block, offset, count, stride);
  if (!fits_ || block->elements == 0) return;
  const std::int64_t copies = count * block_items;  // at most the number of elements, which fits
  if (!parts_.empty() && parts_.back().type == type) {
    parts_.back().copies += copies;
  } else {
    parts_.push_back({type, copies});
  }
}

void TypeBuilder::set_bounds(CheckedNumber lower, CheckedNumber upper) {
  fits_ = fits_ && lower.fits() && upper.fits();
  markers_ = {lower.value(), upper.value(), true};
}

std::optional<Shape> TypeBuilder::finish_shape() {
  Shape shape;
  shape.layout = layout_.finish();
  shape.size = size_.value();
  shape.elements = elements_.value();
  shape.alignment = alignment_;
  shape.true_lower_bound = data_.lower;
  shape.true_upper_bound = data_.upper;
  shape.explicit_bounds = markers_.any;
  const ByteRange& bounds = markers_.any ? markers_ : data_;
  shape.lower_bound = bounds.lower;
  const CheckedNumber extent = CheckedNumber(bounds.upper) - bounds.lower;
  const CheckedNumber true_extent = CheckedNumber(data_.upper) - data_.lower;
  CheckedNumber upper = bounds.upper;
  if (!markers_.any && extent.fits()) {
    const std::int64_t beyond = extent.value() % alignment_;
    if (beyond != 0) upper = upper + (alignment_ - beyond);
  }
  if (!fits_ || !extent.fits() || !true_extent.fits() || !upper.fits() ||
      !(upper - bounds.lower).fits())
    return std::nullopt;
  shape.upper_bound = upper.value();
  return shape;
}

std::shared_ptr<Datatype> TypeBuilder::build(Contents contents) {
  std::optional<Shape> shape = finish_shape();
  if (!shape) return nullptr;
  return std::make_shared<Datatype>(std::move(*shape), std::move(parts_), std::move(contents));
}

}  // namespace lintel::mpi
