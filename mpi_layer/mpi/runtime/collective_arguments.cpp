#include "mpi_layer/mpi/runtime/collective_arguments.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"

namespace lintel::mpi {

int Parts::take(const void* buffer, std::int64_t count, MPI_Datatype datatype, int ranks) {
  // The total count must be valid for items, too.
  if (count < 0) return MPI_ERR_COUNT;
  const CheckedNumber all = CheckedNumber(count) * ranks;
  if (!all.fits()) return MPI_ERR_COUNT;
  if (const int error = check_items(buffer, all.value(), datatype, &first_); error != MPI_SUCCESS)
    return error;
  first_.count = count;
  return MPI_SUCCESS;
}

int Parts::take(const void* buffer, NumberArray counts, NumberArray displacements,
                MPI_Datatype datatype, int ranks) {
  if (counts.is_null() || displacements.is_null()) return MPI_ERR_ARG;
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (counts[rank] < 0) return MPI_ERR_COUNT;
    most = std::max(most, counts[rank]);
  }
  if (const int error = check_items(buffer, most, datatype, &first_); error != MPI_SUCCESS)
    return error;
  counts_ = counts;
  displacements_ = displacements;
  return MPI_SUCCESS;
}

int Parts::take(const void* buffer, NumberArray counts, NumberArray displacements,
                const MPI_Datatype* datatypes, int ranks) {
  if (counts.is_null() || displacements.is_null() || datatypes == nullptr) return MPI_ERR_ARG;
  for (int rank = 0; rank < ranks; ++rank) {
    ItemBuffer part;
    if (const int error = check_items(buffer, counts[rank], datatypes[rank], &part);
        error != MPI_SUCCESS)
      return error;
    part.address += static_cast<std::uintptr_t>(displacements[rank]);
    of_types_.push_back(std::move(part));
  }
  return MPI_SUCCESS;
}

ItemBuffer Parts::at(int rank) const {
  if (!of_types_.empty()) return of_types_[static_cast<std::size_t>(rank)];
  const std::int64_t distance =
      !displacements_.is_null() ? displacements_[rank] : rank * first_.count;
  const std::int64_t count = !counts_.is_null() ? counts_[rank] : first_.count;
  return {first_.type,
          first_.address + static_cast<std::uintptr_t>(distance * first_.type->shape().extent()),
          count};
}

int copy_items(const ItemBuffer& from, const ItemBuffer& to) {
  const auto bytes = static_cast<std::size_t>(std::min(from.bytes(), to.bytes()));
  const int error = from.bytes() > to.bytes() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  if (bytes == 0) return error;
  if (from.is_contiguous() && to.is_contiguous()) {
    std::memmove(to.begin(), from.begin(), bytes);
  } else if (from.is_contiguous()) {
    unpack(to.items(), 0, {from.begin(), bytes});
  } else if (to.is_contiguous()) {
    pack(from.items(), 0, {to.begin(), bytes});
  } else {
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
    pack(from.items(), 0, {packed.get(), bytes});
    unpack(to.items(), 0, {packed.get(), bytes});
  }
  return error;
}

}  // namespace lintel::mpi
