#include "mpi_layer/mpi/runtime/reducing_collectives.h"

#include <utility>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/runtime/collective_arguments.h"

namespace lintel::mpi {

ReductionItems::ReductionItems(DatatypeRef type, std::int64_t count) {
  const Shape& shape = type->shape();
  // Extents may be shorter than the data, or negative: from the lowest byte of any item to the highest.
  const std::int64_t last = count > 0 ? (count - 1) * shape.extent() : 0;
  const std::int64_t low = shape.true_lower_bound + (last < 0 ? last : 0);
  const std::int64_t high = shape.true_upper_bound + (last > 0 ? last : 0);
  memory_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(high - low) + 1);
  items_ = {std::move(type), number_of(memory_.get()) - static_cast<std::uintptr_t>(low), count};
}

int reduce_to_first(const Team& team, const BoundReduction& reduction, const ReductionItems& own) {
  ReductionItems higher(own.items().type, own.items().count);
  for (int bit = 1; bit < team.size(); bit *= 2) {
    if ((team.rank() & bit) != 0) return team.send(team.rank() - bit, own.items());
    if (team.rank() + bit >= team.size()) continue;
    if (const int error = team.receive(team.rank() + bit, higher.items()); error != MPI_SUCCESS) return error;
    // own = own op higher, but reductions write to their right operand.
    reduction.apply(own.address(), higher.address(), own.items().count);
    if (const int error = copy_items(higher.items(), own.items()); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int scan(const Team& team, const BoundReduction& reduction, const ReductionItems& inclusive, const ReductionItems& exclusive) {
  if (team.rank() > 0) {
    if (const int error = team.receive(team.rank() - 1, exclusive.items()); error != MPI_SUCCESS) return error;
    reduction.apply(exclusive.address(), inclusive.address(), inclusive.items().count);
  }
  return team.rank() + 1 < team.size() ? team.send(team.rank() + 1, inclusive.items()) : MPI_SUCCESS;
}

}  // namespace lintel::mpi
