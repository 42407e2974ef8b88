#include "mpi_layer/mpi/functions/bound_reduction.h"

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/predefined_operations.h"

namespace lintel::mpi {

int BoundReduction::bind(MPI_Op op, MPI_Datatype datatype, BoundReduction* bound) {
  const std::uintptr_t number = number_of(op);
  DatatypeRef type = find_datatype(datatype);
  if (!type || !type->is_committed()) return MPI_ERR_TYPE;
  BoundReduction reduction;
  if (number < 4096) {
    const std::optional<Reduction> predefined = predefined_reduction(op);
    if (!predefined) return MPI_ERR_OP;
    reduction.kernel_ = find_kernel(*predefined, type->family(), type->form());
    if (reduction.kernel_ == nullptr) return MPI_ERR_OP;
  } else {
    reduction.user_ = local_objects().operations.find(number);
    if (!reduction.user_) return MPI_ERR_OP;
  }
  reduction.type_ = std::move(type);
  reduction.datatype_ = number_of(datatype);
  *bound = std::move(reduction);
  return MPI_SUCCESS;
}

void BoundReduction::apply(const void* in, void* inout, std::int64_t count) const {
  if (count == 0) return;
  if (kernel_ != nullptr) {
    kernel_(in, inout, static_cast<std::size_t>(count));
  } else {
    user_->apply({in, inout, count, type_->shape().extent(), datatype_});
  }
}

}  // namespace lintel::mpi
