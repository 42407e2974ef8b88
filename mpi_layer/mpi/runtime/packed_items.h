#pragma once
// PackedItems: the bytes of items in packing order, for algorithms that cut them into pieces: the program's own memory where the items have no holes, else a copy.
//
// Lives as long as one collective function, and not longer than the items.

#include <cstddef>
#include <memory>
#include <utility>

#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

class PackedItems {
 public:
  explicit PackedItems(ItemBuffer items) : items_(std::move(items)) {
    if (size() > 0 && !items_.is_contiguous()) copy_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size()));
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

}  // namespace lintel::mpi
