#pragma once
// Clause 15.2: PMPI_X is the function, MPI_X another name for it that a profiling library may take.

// LINTEL_MPI_NAME(MPI_Type_size); after the definition of PMPI_Type_size.
#define LINTEL_MPI_NAME(name) \
  extern "C" __attribute__((weak, alias("P" #name))) decltype(P##name) name
