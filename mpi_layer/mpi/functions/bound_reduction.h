#pragma once
// BoundReduction: an operation together with the datatype it works on. What MPI_Reduce_local and
// the collectives apply.
//
// A value; it holds on to a user's operation and datatype, which may be freed meanwhile. Any thread
// may apply it.

#include <cstdint>

#include "mpi.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

class BoundReduction {
 public:
  // MPI_ERR_OP for what is no operation and for pairs that the standard does not have, MPI_ERR_TYPE
  // for what is no committed datatype.
  static int bind(MPI_Op op, MPI_Datatype datatype, BoundReduction* bound);

  // inout[i] = in[i] op inout[i] for `count` items, which lie an extent apart in both. REQUIRES:
  // bind() gave MPI_SUCCESS; count >= 0.
  void apply(const void* in, void* inout, std::int64_t count) const;
  bool commutes() const { return user_ == nullptr || user_->commutes; }

 private:
  Kernel kernel_ = nullptr;
  UserOperationRef user_;
  DatatypeRef type_;
  std::uintptr_t datatype_ = 0;
};

}  // namespace lintel::mpi
