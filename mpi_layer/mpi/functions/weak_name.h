#pragma once
// Clause 15.2: PMPI_X is the function. MPI_X is a weak name for it, which a profiling library may
// define.

// LINTEL_MPI_NAME(MPI_Type_size); after the definition of PMPI_Type_size.
#define LINTEL_MPI_NAME(name) \
  extern "C" __attribute__((weak, alias("P" #name))) decltype(P##name) name
