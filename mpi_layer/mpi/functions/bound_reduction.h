#pragma once
// BoundReduction: an operation together with its datatype, for MPI_Reduce_local and the collective
// functions.
//
// A value. It keeps an operation and a datatype of the program alive, which may be freed meanwhile.
// Any thread may apply it.

#include <cstdint>

#include "mpi.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

class BoundReduction {
 public:
  // Errors: MPI_ERR_OP: no operation, or the operation does not allow the type; MPI_ERR_TYPE: no
  // committed datatype.
  static int bind(MPI_Op op, MPI_Datatype datatype, BoundReduction* bound);

  // inout[i] = in[i] op inout[i] for `count` items, which are one extent apart in both. REQUIRES:
  // bind() returned MPI_SUCCESS; count >= 0.
  void apply(const void* in, void* inout, std::int64_t count) const;
  bool commutes() const { return user_ == nullptr || user_->commutes; }

 private:
  Kernel kernel_ = nullptr;
  UserOperationRef user_;
  DatatypeRef type_;
  std::uintptr_t datatype_ = 0;
};

}  // namespace lintel::mpi
