#pragma once
// How a constructor hands out its datatype.

#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// Gives `*newtype` a handle for `type`. MPI_ERR_VALUE_TOO_LARGE if it is null: a number of it left 63 bits. MPI_ERR_NO_MEM: no more handles.
int give_type(const std::shared_ptr<Datatype>& type, MPI_Datatype* newtype);

}  // namespace lintel::mpi
