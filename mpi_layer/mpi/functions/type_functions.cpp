// Making datatypes of others (MPI 5.0, clause 5.1.2). Arrays: array_type_functions.cpp.
#include <utility>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/new_type.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/objects/type_builder.h"

namespace lintel::mpi {

namespace {

// The types that count, block length and stride in bytes describe. `contents` has the arguments as they were.
int new_vector(int count, int blocklength, const DatatypeRef& oldtype, CheckedNumber stride, Contents contents, MPI_Datatype* newtype) {
  TypeBuilder builder;
  builder.add_blocks(oldtype, 0, count, blocklength, stride);
  return give_type(builder.build(std::move(contents)), newtype);
}

// Blocks at displacements of any kind: `length_of(i)` items at `offset_of(i)` bytes.
template <class Length, class Offset>
int new_indexed(int count, const DatatypeRef& oldtype, Length length_of, Offset offset_of, Contents contents, MPI_Datatype* newtype) {
  TypeBuilder builder;
  for (int i = 0; i < count; ++i) {
    const int length = length_of(i);
    if (length < 0) return MPI_ERR_ARG;
    builder.add(oldtype, offset_of(i), length, oldtype->shape().extent());
  }
  return give_type(builder.build(std::move(contents)), newtype);
}

Contents contents_of(int combiner, std::vector<int> integers, const DatatypeRef& oldtype) {
  return {combiner, std::move(integers), {}, {oldtype}};
}

void append(std::vector<int>& integers, const int* array, int count) { integers.insert(integers.end(), array, array + count); }

void append(std::vector<std::int64_t>& addresses, const MPI_Aint* array, int count) {
  addresses.insert(addresses.end(), array, array + count);
}

int contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (count < 0) return MPI_ERR_COUNT;
  if (newtype == nullptr) return MPI_ERR_ARG;
  TypeBuilder builder;
  builder.add(old, 0, count, old->shape().extent());
  return give_type(builder.build(contents_of(MPI_COMBINER_CONTIGUOUS, {count}, old)), newtype);
}

int vector_type(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (count < 0) return MPI_ERR_COUNT;
  if (blocklength < 0 || newtype == nullptr) return MPI_ERR_ARG;
  return new_vector(count, blocklength, old, CheckedNumber(stride) * old->shape().extent(),
                    contents_of(MPI_COMBINER_VECTOR, {count, blocklength, stride}, old), newtype);
}

int hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (count < 0) return MPI_ERR_COUNT;
  if (blocklength < 0 || newtype == nullptr) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_HVECTOR, {count, blocklength}, old);
  contents.addresses = {stride};
  return new_vector(count, blocklength, old, stride, std::move(contents), newtype);
}

int indexed(int count, const int* lengths, const int* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (const int error = check_arrays(count, {lengths, displacements}); error != MPI_SUCCESS) return error;
  if (newtype == nullptr) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_INDEXED, {count}, old);
  append(contents.integers, lengths, count);
  append(contents.integers, displacements, count);
  const CheckedNumber extent = old->shape().extent();
  return new_indexed(
      count, old, [=](int i) { return lengths[i]; }, [=](int i) { return extent * displacements[i]; }, std::move(contents), newtype);
}

int hindexed(int count, const int* lengths, const MPI_Aint* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (const int error = check_arrays(count, {lengths, displacements}); error != MPI_SUCCESS) return error;
  if (newtype == nullptr) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_HINDEXED, {count}, old);
  append(contents.integers, lengths, count);
  append(contents.addresses, displacements, count);
  return new_indexed(
      count, old, [=](int i) { return lengths[i]; }, [=](int i) { return CheckedNumber(displacements[i]); }, std::move(contents), newtype);
}

int indexed_block(int count, int length, const int* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (const int error = check_arrays(count, {displacements}); error != MPI_SUCCESS) return error;
  if (length < 0 || newtype == nullptr) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_INDEXED_BLOCK, {count, length}, old);
  append(contents.integers, displacements, count);
  const CheckedNumber extent = old->shape().extent();
  return new_indexed(
      count, old, [=](int) { return length; }, [=](int i) { return extent * displacements[i]; }, std::move(contents), newtype);
}

int hindexed_block(int count, int length, const MPI_Aint* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (const int error = check_arrays(count, {displacements}); error != MPI_SUCCESS) return error;
  if (length < 0 || newtype == nullptr) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_HINDEXED_BLOCK, {count, length}, old);
  append(contents.addresses, displacements, count);
  return new_indexed(
      count, old, [=](int) { return length; }, [=](int i) { return CheckedNumber(displacements[i]); }, std::move(contents), newtype);
}

int structure(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types, MPI_Datatype* newtype) {
  if (const int error = check_arrays(count, {lengths, displacements, types}); error != MPI_SUCCESS) return error;
  if (newtype == nullptr) return MPI_ERR_ARG;
  Contents contents{MPI_COMBINER_STRUCT, {count}, {}, {}};
  append(contents.integers, lengths, count);
  append(contents.addresses, displacements, count);
  TypeBuilder builder;
  for (int i = 0; i < count; ++i) {
    const DatatypeRef type = find_datatype(types[i]);
    if (!type) return MPI_ERR_TYPE;
    if (lengths[i] < 0) return MPI_ERR_ARG;
    builder.add(type, displacements[i], lengths[i], type->shape().extent());
    contents.types.push_back(type);
  }
  return give_type(builder.build(std::move(contents)), newtype);
}

int resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (newtype == nullptr) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_RESIZED, {}, old);
  contents.addresses = {lb, extent};
  TypeBuilder builder;
  builder.add(old, 0, 1, 0);
  builder.set_bounds(lb, CheckedNumber(lb) + extent);
  return give_type(builder.build(std::move(contents)), newtype);
}

}  // namespace

int give_type(const std::shared_ptr<Datatype>& type, MPI_Datatype* newtype) {
  if (!type) return MPI_ERR_VALUE_TOO_LARGE;
  const MPI_Datatype handle = new_handle(DatatypeRef(type));
  if (handle == MPI_DATATYPE_NULL) return MPI_ERR_NO_MEM;
  *newtype = handle;
  return MPI_SUCCESS;
}

extern "C" {

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_contiguous", HandleKind::kDatatype, [=] { return contiguous(count, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_contiguous);

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_vector", HandleKind::kDatatype, [=] { return vector_type(count, blocklength, stride, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_vector);

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hvector", HandleKind::kDatatype, [=] { return hvector(count, blocklength, stride, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_hvector);

int PMPI_Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_indexed", HandleKind::kDatatype, [=] { return indexed(count, lengths, displacements, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_indexed);

int PMPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hindexed", HandleKind::kDatatype,
                  [=] { return hindexed(count, lengths, displacements, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_hindexed);

int PMPI_Type_create_indexed_block(int count, int blocklength, const int displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_indexed_block", HandleKind::kDatatype,
                  [=] { return indexed_block(count, blocklength, displacements, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_indexed_block);

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype,
                                    MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hindexed_block", HandleKind::kDatatype,
                  [=] { return hindexed_block(count, blocklength, displacements, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_hindexed_block);

int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                            MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_struct", HandleKind::kDatatype,
                  [=] { return structure(count, lengths, displacements, types, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_struct);

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_resized", HandleKind::kDatatype, [=] { return resized(oldtype, lb, extent, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_resized);

}  // extern "C"

}  // namespace lintel::mpi
