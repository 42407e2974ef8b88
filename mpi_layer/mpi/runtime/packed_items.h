#pragma once
// PackedItems: the bytes of items in packing order, for algorithms that split them into pieces.
// They are in the program's own memory if the items have no holes, else in a copy. ItemsCopy: a
// copy of items that is sent in their place.
//
// Each is used within one call; PackedItems does not outlive the items. Only processes that
// exchange no external32 may exchange these bytes.

#include <cstddef>
#include <memory>
#include <utility>

#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

class PackedItems {
 public:
  explicit PackedItems(ItemBuffer items) : items_(std::move(items)) {
    if (size() > 0 && !items_.is_contiguous())
      copy_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size()));
  }

  std::int64_t size() const { return items_.bytes(); }
  std::byte* bytes() const {
    if (copy_) return copy_.get();
    return size() > 0 ? items_.begin() : nullptr;
  }
  // Brings the items' values to bytes(), or back.
  void fill() const {
    if (copy_) pack(items_.items(), 0, {copy_.get(), static_cast<std::size_t>(size())});
  }
  void spill() const {
    if (copy_) unpack(items_.items(), 0, {copy_.get(), static_cast<std::size_t>(size())});
  }

 private:
  ItemBuffer items_;
  std::unique_ptr<std::byte[]> copy_;
};

// It has the same basic elements as the items, without holes.
class ItemsCopy {
 public:
  explicit ItemsCopy(const ItemBuffer& items)
      : memory_(
            std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(items.bytes()))) {
    if (items.bytes() > 0)
      pack(items.items(), 0, {memory_.get(), static_cast<std::size_t>(items.bytes())});
    items_ = {without_holes(items.type), reinterpret_cast<std::uintptr_t>(memory_.get()),
              items.count};
  }

  const ItemBuffer& items() const { return items_; }

 private:
  static DatatypeRef without_holes(const DatatypeRef& type) {
    if (type->parts().empty()) return type;
    Shape shape;
    shape.layout = std::make_shared<Layout>(type->size());
    shape.size = shape.upper_bound = shape.true_upper_bound = type->size();
    shape.elements = type->shape().elements;
    return std::make_shared<Datatype>(std::move(shape), type->parts(), Contents());
  }

  std::unique_ptr<std::byte[]> memory_;
  ItemBuffer items_;
};

}  // namespace lintel::mpi
