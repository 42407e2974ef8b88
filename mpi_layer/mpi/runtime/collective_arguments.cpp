#include "mpi_layer/mpi/runtime/collective_arguments.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "mpi_layer/mpi/runtime/message_arguments.h"

namespace lintel::mpi {

int Parts::take(const void* buffer, std::int64_t count, MPI_Datatype datatype, int ranks) {
  // All of them together must be numbers that items can have.
  if (count < 0) return MPI_ERR_COUNT;
  if (const int error = check_items(buffer, count * ranks, datatype, &first_); error != MPI_SUCCESS) return error;
  first_.count = count;
  return MPI_SUCCESS;
}

int Parts::take(const void* buffer, const int* counts, const int* displacements, MPI_Datatype datatype, int ranks) {
  if (counts == nullptr || displacements == nullptr) return MPI_ERR_ARG;
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return MPI_ERR_COUNT;
    most = std::max<std::int64_t>(most, counts[rank]);
  }
  if (const int error = check_items(buffer, most, datatype, &first_); error != MPI_SUCCESS) return error;
  counts_ = counts;
  displacements_ = displacements;
  return MPI_SUCCESS;
}

ItemBuffer Parts::at(int rank) const {
  const std::int64_t distance = displacements_ != nullptr ? displacements_[rank] : rank * first_.count;
  const std::int64_t count = counts_ != nullptr ? counts_[rank] : first_.count;
  return {first_.type, first_.address + static_cast<std::uintptr_t>(distance * first_.type->shape().extent()), count};
}

int copy_items(const ItemBuffer& from, const ItemBuffer& to) {
  const auto bytes = static_cast<std::size_t>(std::min(from.bytes(), to.bytes()));
  const int error = from.bytes() > to.bytes() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  if (bytes == 0) return error;
  if (from.items().is_contiguous() && to.items().is_contiguous()) {
    std::memmove(to.items().begin(), from.items().begin(), bytes);
  } else if (from.items().is_contiguous()) {
    unpack(to.items(), 0, {from.items().begin(), bytes});
  } else if (to.items().is_contiguous()) {
    pack(from.items(), 0, {to.items().begin(), bytes});
  } else {
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
    pack(from.items(), 0, {packed.get(), bytes});
    unpack(to.items(), 0, {packed.get(), bytes});
  }
  return error;
}

}  // namespace lintel::mpi
