#pragma once
// Parts of arrays with several dimensions as datatypes: MPI_Type_create_subarray and
// MPI_Type_create_darray.
//
// Pure functions. Dimensions are given with the fastest first: the one whose neighbouring elements
// are neighbours in memory.

#include <cstdint>
#include <memory>
#include <span>

#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// In a dimension of `size` indices: `taken` indices from `start` on. REQUIRES: 0 <= start, 0 <
// taken, start + taken <= size.
struct Slab {
  std::int64_t size;
  std::int64_t taken;
  std::int64_t start;
};

// The elements that are in all slabs. The bounds are those of the whole array. Null if a number
// does not fit in 63 bits.
std::shared_ptr<Datatype> make_subarray(const DatatypeRef& element, std::span<const Slab> slabs,
                                        Contents contents);

// The share of one process in a dimension of `size` indices, which are distributed to `processes`
// cyclically in blocks of `block` indices.
// REQUIRES: size, processes, block > 0; 0 <= process < processes.
struct Share {
  std::int64_t size;
  int processes;
  int process;
  std::int64_t block;
};

// The elements that are in all shares, which may be none. Bounds and failure as above.
std::shared_ptr<Datatype> make_distributed_array(const DatatypeRef& element,
                                                 std::span<const Share> shares, Contents contents);

}  // namespace lintel::mpi
