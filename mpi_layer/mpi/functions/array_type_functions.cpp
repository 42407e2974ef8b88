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

// The dimensions as the arguments list them: the fastest is the last in C order, the first in
// Fortran order.
template <class Dimension>
void put_fastest_first(std::vector<Dimension>& dimensions, int order) {
  if (order == MPI_ORDER_C) std::reverse(dimensions.begin(), dimensions.end());
}

template <class Count>
int subarray(int ndims, const Count* sizes, const Count* subsizes, const Count* starts, int order,
             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (ndims < 1 || !is_order(order)) return MPI_ERR_ARG;
  if (const int error = check_pointers({sizes, subsizes, starts, newtype}); error != MPI_SUCCESS)
    return error;
  std::vector<Slab> slabs;
  for (int i = 0; i < ndims; ++i) {
    if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
        starts[i] > sizes[i] - subsizes[i])
      return MPI_ERR_ARG;
    slabs.push_back({sizes[i], subsizes[i], starts[i]});
  }
  put_fastest_first(slabs, order);
  Contents contents{MPI_COMBINER_SUBARRAY, {ndims}, {}, {}, {old}};
  for (const Count* numbers : {sizes, subsizes, starts}) {
    auto& counts = counts_of<Count>(contents);
    counts.insert(counts.end(), numbers, numbers + ndims);
  }
  contents.integers.push_back(order);
  return give_type(make_subarray(old, slabs, std::move(contents)), newtype);
}

// The block size of a distribution; nothing if the arguments of the dimension are invalid.
std::optional<std::int64_t> block_of(std::int64_t size, int processes, int distribution,
                                     int argument) {
  const bool is_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  if (distribution == MPI_DISTRIBUTE_NONE)
    return processes == 1 ? std::optional(size) : std::nullopt;
  if (!is_default && argument < 1) return std::nullopt;
  if (distribution == MPI_DISTRIBUTE_CYCLIC) return is_default ? 1 : argument;
  if (distribution != MPI_DISTRIBUTE_BLOCK) return std::nullopt;
  if (is_default) return (size - 1) / processes + 1;
  return std::int64_t{argument} * processes >= size ? std::optional<std::int64_t>(argument)
                                                    : std::nullopt;
}

template <class Count>
struct Distribution {
  int size;
  int rank;
  int ndims;
  const Count* sizes;
  const int* distributions;
  const int* arguments;
  const int* processes;
  int order;
};

template <class Count>
int check(const Distribution<Count>& array) {
  if (array.ndims < 1 || !is_order(array.order)) return MPI_ERR_ARG;
  if (const int error =
          check_pointers({array.sizes, array.distributions, array.arguments, array.processes});
      error != MPI_SUCCESS)
    return error;
  std::int64_t grid = 1;
  for (int i = 0; i < array.ndims; ++i) {
    if (array.processes[i] < 1 || array.sizes[i] < 1) return MPI_ERR_ARG;
    grid *= array.processes[i];
    if (grid > array.size) return MPI_ERR_ARG;
  }
  return grid != array.size || array.rank < 0 || array.rank >= array.size ? MPI_ERR_ARG
                                                                          : MPI_SUCCESS;
}

template <class Count>
int distributed_array(const Distribution<Count>& array, MPI_Datatype oldtype,
                      MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (newtype == nullptr) return MPI_ERR_ARG;
  if (const int error = check(array); error != MPI_SUCCESS) return error;
  std::vector<Share> shares;
  int slower = array.size;  // the process grid is always in C order
  for (int i = 0; i < array.ndims; ++i) {
    const std::optional<std::int64_t> block =
        block_of(array.sizes[i], array.processes[i], array.distributions[i], array.arguments[i]);
    if (!block) return MPI_ERR_ARG;
    slower /= array.processes[i];
    shares.push_back(
        {array.sizes[i], array.processes[i], array.rank / slower % array.processes[i], *block});
  }
  put_fastest_first(shares, array.order);
  Contents contents{MPI_COMBINER_DARRAY, {array.size, array.rank, array.ndims}, {}, {}, {old}};
  auto& sizes = counts_of<Count>(contents);
  sizes.insert(sizes.end(), array.sizes, array.sizes + array.ndims);
  for (const int* numbers : {array.distributions, array.arguments, array.processes}) {
    contents.integers.insert(contents.integers.end(), numbers, numbers + array.ndims);
  }
  contents.integers.push_back(array.order);
  return give_type(make_distributed_array(old, shares, std::move(contents)), newtype);
}

}  // namespace

extern "C" {

int PMPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[],
                              const int starts[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_subarray", ObjectKind::kDatatype, [=] {
    return subarray(ndims, sizes, subsizes, starts, order, oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_subarray);

int PMPI_Type_create_subarray_c(int ndims, const MPI_Count sizes[], const MPI_Count subsizes[],
                                const MPI_Count starts[], int order, MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_subarray_c", ObjectKind::kDatatype, [=] {
    return subarray(ndims, sizes, subsizes, starts, order, oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_subarray_c);

int PMPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[],
                            const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                            MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_darray", ObjectKind::kDatatype, [=] {
    return distributed_array<int>({size, rank, ndims, gsizes, distribs, dargs, psizes, order},
                                  oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_darray);

int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count gsizes[],
                              const int distribs[], const int dargs[], const int psizes[],
                              int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_darray_c", ObjectKind::kDatatype, [=] {
    return distributed_array<MPI_Count>({size, rank, ndims, gsizes, distribs, dargs, psizes, order},
                                        oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_darray_c);

}  // extern "C"

}  // namespace lintel::mpi
