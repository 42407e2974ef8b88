// MPI_Type_create_subarray, MPI_Type_create_darray (MPI 5.0, clauses 5.1.3 and 5.1.4).
#include <algorithm>
#include <optional>
#include <utility>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/new_type.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/objects/array_types.h"

namespace lintel::mpi {

namespace {

bool is_order(int order) { return order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN; }

// The dimensions as the arguments list them: the fastest is the last in C order, the first in Fortran order.
template <class Dimension>
void put_fastest_first(std::vector<Dimension>& dimensions, int order) {
  if (order == MPI_ORDER_C) std::reverse(dimensions.begin(), dimensions.end());
}

int subarray(std::span<const int> sizes, std::span<const int> subsizes, std::span<const int> starts, int order, const DatatypeRef& old,
             MPI_Datatype* newtype) {
  std::vector<Slab> slabs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
      return MPI_ERR_ARG;
    slabs.push_back({sizes[i], subsizes[i], starts[i]});
  }
  put_fastest_first(slabs, order);
  Contents contents{MPI_COMBINER_SUBARRAY, {static_cast<int>(sizes.size())}, {}, {old}};
  for (const std::span<const int> array : {sizes, subsizes, starts}) {
    contents.integers.insert(contents.integers.end(), array.begin(), array.end());
  }
  contents.integers.push_back(order);
  return give_type(make_subarray(old, slabs, std::move(contents)), newtype);
}

// The block size of a distribution; nothing if the arguments of the dimension make none.
std::optional<int> block_of(int size, int processes, int distribution, int argument) {
  const bool is_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  if (distribution == MPI_DISTRIBUTE_NONE) return processes == 1 ? std::optional(size) : std::nullopt;
  if (!is_default && argument < 1) return std::nullopt;
  if (distribution == MPI_DISTRIBUTE_CYCLIC) return is_default ? 1 : argument;
  if (distribution != MPI_DISTRIBUTE_BLOCK) return std::nullopt;
  if (is_default) return (size - 1) / processes + 1;
  return std::int64_t{argument} * processes >= size ? std::optional(argument) : std::nullopt;
}

struct Distribution {
  int size;
  int rank;
  std::span<const int> sizes;
  std::span<const int> distributions;
  std::span<const int> arguments;
  std::span<const int> processes;
  int order;
};

int distributed_array(const Distribution& array, const DatatypeRef& old, MPI_Datatype* newtype) {
  std::int64_t grid = 1;
  for (const int processes : array.processes) {
    if (processes < 1) return MPI_ERR_ARG;
    grid *= processes;
    if (grid > array.size) return MPI_ERR_ARG;
  }
  if (grid != array.size || array.rank < 0 || array.rank >= array.size) return MPI_ERR_ARG;
  std::vector<Share> shares;
  std::int64_t slower = grid;  // the grid of processes is in C order, whatever the order of the array
  for (std::size_t i = 0; i < array.sizes.size(); ++i) {
    if (array.sizes[i] < 1) return MPI_ERR_ARG;
    const std::optional<int> block = block_of(array.sizes[i], array.processes[i], array.distributions[i], array.arguments[i]);
    if (!block) return MPI_ERR_ARG;
    slower /= array.processes[i];
    shares.push_back({array.sizes[i], array.processes[i], static_cast<int>(array.rank / slower % array.processes[i]), *block});
  }
  put_fastest_first(shares, array.order);
  Contents contents{MPI_COMBINER_DARRAY, {array.size, array.rank, static_cast<int>(array.sizes.size())}, {}, {old}};
  for (const std::span<const int> numbers : {array.sizes, array.distributions, array.arguments, array.processes}) {
    contents.integers.insert(contents.integers.end(), numbers.begin(), numbers.end());
  }
  contents.integers.push_back(array.order);
  return give_type(make_distributed_array(old, shares, std::move(contents)), newtype);
}

}  // namespace

extern "C" {

int PMPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_subarray", HandleKind::kDatatype, [=]() -> int {
    const DatatypeRef old = find_datatype(oldtype);
    if (!old) return MPI_ERR_TYPE;
    if (ndims < 1 || !is_order(order)) return MPI_ERR_ARG;
    if (const int error = check_pointers({sizes, subsizes, starts, newtype}); error != MPI_SUCCESS) return error;
    return subarray(array(sizes, ndims), array(subsizes, ndims), array(starts, ndims), order, old, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_subarray);

int PMPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[], const int psizes[],
                            int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_darray", HandleKind::kDatatype, [=]() -> int {
    const DatatypeRef old = find_datatype(oldtype);
    if (!old) return MPI_ERR_TYPE;
    if (ndims < 1 || !is_order(order)) return MPI_ERR_ARG;
    if (const int error = check_pointers({gsizes, distribs, dargs, psizes, newtype}); error != MPI_SUCCESS) return error;
    return distributed_array({size, rank, array(gsizes, ndims), array(distribs, ndims), array(dargs, ndims), array(psizes, ndims), order},
                             old, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_darray);

}  // extern "C"

}  // namespace lintel::mpi
