// Constructors of derived datatypes (MPI 5.0, clause 5.1.2), with int and MPI_Count. Arrays:
// array_type_functions.cpp.
#include <utility>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/new_type.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/objects/type_builder.h"

namespace lintel::mpi {

namespace {

// The checks of every constructor: the old type, the count, and the pointer to the new type.
template <class Count>
int check_making(const DatatypeRef& old, Count count, const void* newtype) {
  if (!old) return MPI_ERR_TYPE;
  if (count < 0) return MPI_ERR_COUNT;
  return newtype == nullptr ? MPI_ERR_ARG : MPI_SUCCESS;
}

// Blocks at displacements of any kind: `length_of(i)` items at `offset_of(i)` bytes.
template <class Count, class Length, class Offset>
int new_indexed(Count count, const DatatypeRef& oldtype, Length length_of, Offset offset_of,
                Contents contents, MPI_Datatype* newtype) {
  TypeBuilder builder;
  for (Count i = 0; i < count; ++i) {
    const std::int64_t length = length_of(i);
    if (length < 0) return MPI_ERR_ARG;
    builder.add(oldtype, offset_of(i), length, oldtype->shape().extent());
  }
  return give_type(builder.build(std::move(contents)), newtype);
}

template <class Count>
Contents contents_of(int combiner, std::initializer_list<Count> counts,
                     const DatatypeRef& oldtype) {
  Contents contents{combiner, {}, {}, {}, {oldtype}};
  counts_of<Count>(contents).assign(counts.begin(), counts.end());
  return contents;
}

template <class To, class From, class Count>
void append(std::vector<To>& numbers, const From* array, Count count) {
  numbers.insert(numbers.end(), array, array + count);
}

template <class Count>
int contiguous(Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (const int error = check_making(old, count, newtype); error != MPI_SUCCESS) return error;
  TypeBuilder builder;
  builder.add(old, 0, count, old->shape().extent());
  return give_type(builder.build(contents_of(MPI_COMBINER_CONTIGUOUS, {count}, old)), newtype);
}

template <class Count>
int vector_type(Count count, Count blocklength, Count stride, MPI_Datatype oldtype,
                MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (const int error = check_making(old, count, newtype); error != MPI_SUCCESS) return error;
  if (blocklength < 0) return MPI_ERR_ARG;
  TypeBuilder builder;
  builder.add_blocks(old, 0, count, blocklength, CheckedNumber(stride) * old->shape().extent());
  return give_type(
      builder.build(contents_of(MPI_COMBINER_VECTOR, {count, blocklength, stride}, old)), newtype);
}

template <class Count>
int hvector(Count count, Count blocklength, std::int64_t stride, MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (const int error = check_making(old, count, newtype); error != MPI_SUCCESS) return error;
  if (blocklength < 0) return MPI_ERR_ARG;
  Contents contents = contents_of(MPI_COMBINER_HVECTOR, {count, blocklength}, old);
  addresses_of<Count>(contents).push_back(stride);
  TypeBuilder builder;
  builder.add_blocks(old, 0, count, blocklength, stride);
  return give_type(builder.build(std::move(contents)), newtype);
}

// What displacements count.
enum class DisplacementUnit { kExtents, kBytes };

template <DisplacementUnit unit, class Count, class Displacement>
void append_displacements(Contents& contents, const Displacement* displacements, Count count) {
  if constexpr (unit == DisplacementUnit::kExtents) {
    append(counts_of<Count>(contents), displacements, count);
  } else {
    append(addresses_of<Count>(contents), displacements, count);
  }
}

template <DisplacementUnit unit>
CheckedNumber bytes_of(const DatatypeRef& oldtype) {
  return unit == DisplacementUnit::kExtents ? oldtype->shape().extent() : CheckedNumber(1);
}

template <DisplacementUnit unit, class Count, class Displacement>
int indexed(int combiner, Count count, const Count* lengths, const Displacement* displacements,
            MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (const int error = check_making(old, count, newtype); error != MPI_SUCCESS) return error;
  if (const int error = check_arrays(count, {lengths, displacements}); error != MPI_SUCCESS)
    return error;
  Contents contents = contents_of(combiner, {count}, old);
  append(counts_of<Count>(contents), lengths, count);
  append_displacements<unit>(contents, displacements, count);
  return new_indexed(
      count, old, [=](Count i) { return lengths[i]; },
      [=, bytes = bytes_of<unit>(old)](Count i) { return bytes * displacements[i]; },
      std::move(contents), newtype);
}

template <DisplacementUnit unit, class Count, class Displacement>
int indexed_block(int combiner, Count count, Count length, const Displacement* displacements,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (const int error = check_making(old, count, newtype); error != MPI_SUCCESS) return error;
  if (const int error = check_arrays(count, {displacements}); error != MPI_SUCCESS) return error;
  if (length < 0) return MPI_ERR_ARG;
  Contents contents = contents_of(combiner, {count, length}, old);
  append_displacements<unit>(contents, displacements, count);
  return new_indexed(
      count, old, [=](Count) { return length; },
      [=, bytes = bytes_of<unit>(old)](Count i) { return bytes * displacements[i]; },
      std::move(contents), newtype);
}

template <class Count, class Address>
int structure(Count count, const Count* lengths, const Address* displacements,
              const MPI_Datatype* types, MPI_Datatype* newtype) {
  if (const int error = check_arrays(count, {lengths, displacements, types}); error != MPI_SUCCESS)
    return error;
  if (newtype == nullptr) return MPI_ERR_ARG;
  Contents contents{MPI_COMBINER_STRUCT, {}, {}, {}, {}};
  counts_of<Count>(contents).push_back(count);
  append(counts_of<Count>(contents), lengths, count);
  append(addresses_of<Count>(contents), displacements, count);
  TypeBuilder builder;
  for (Count i = 0; i < count; ++i) {
    const DatatypeRef type = find_datatype(types[i]);
    if (!type) return MPI_ERR_TYPE;
    if (lengths[i] < 0) return MPI_ERR_ARG;
    builder.add(type, displacements[i], lengths[i], type->shape().extent());
    contents.types.push_back(type);
  }
  return give_type(builder.build(std::move(contents)), newtype);
}

// `Count`: the type of counts of the form of the function, which has no counts itself.
template <class Count>
int resized(MPI_Datatype oldtype, std::int64_t lb, std::int64_t extent, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (const int error = check_making(old, 0, newtype); error != MPI_SUCCESS) return error;
  Contents contents = contents_of<Count>(MPI_COMBINER_RESIZED, {}, old);
  addresses_of<Count>(contents) = {lb, extent};
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
  return mpi_call("MPI_Type_contiguous", ObjectKind::kDatatype,
                  [=] { return contiguous(count, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_contiguous);

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                     MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_vector", ObjectKind::kDatatype,
                  [=] { return vector_type(count, blocklength, stride, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_vector);

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hvector", ObjectKind::kDatatype,
                  [=] { return hvector(count, blocklength, stride, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_hvector);

int PMPI_Type_indexed(int count, const int lengths[], const int displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_indexed", ObjectKind::kDatatype, [=] {
    return indexed<DisplacementUnit::kExtents>(MPI_COMBINER_INDEXED, count, lengths, displacements,
                                               oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_indexed);

int PMPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[],
                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hindexed", ObjectKind::kDatatype, [=] {
    return indexed<DisplacementUnit::kBytes>(MPI_COMBINER_HINDEXED, count, lengths, displacements,
                                             oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_hindexed);

int PMPI_Type_create_indexed_block(int count, int blocklength, const int displacements[],
                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_indexed_block", ObjectKind::kDatatype, [=] {
    return indexed_block<DisplacementUnit::kExtents>(MPI_COMBINER_INDEXED_BLOCK, count, blocklength,
                                                     displacements, oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_indexed_block);

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hindexed_block", ObjectKind::kDatatype, [=] {
    return indexed_block<DisplacementUnit::kBytes>(MPI_COMBINER_HINDEXED_BLOCK, count, blocklength,
                                                   displacements, oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_hindexed_block);

int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[],
                            const MPI_Datatype types[], MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_struct", ObjectKind::kDatatype,
                  [=] { return structure(count, lengths, displacements, types, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_struct);

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                             MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_resized", ObjectKind::kDatatype,
                  [=] { return resized<int>(oldtype, lb, extent, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_resized);

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_contiguous_c", ObjectKind::kDatatype,
                  [=] { return contiguous(count, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_contiguous_c);

int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                       MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_vector_c", ObjectKind::kDatatype,
                  [=] { return vector_type(count, blocklength, stride, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_vector_c);

int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                               MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hvector_c", ObjectKind::kDatatype,
                  [=] { return hvector(count, blocklength, stride, oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_hvector_c);

int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                        MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_indexed_c", ObjectKind::kDatatype, [=] {
    return indexed<DisplacementUnit::kExtents>(MPI_COMBINER_INDEXED, count, lengths, displacements,
                                               oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_indexed_c);

int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count lengths[],
                                const MPI_Count displacements[], MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hindexed_c", ObjectKind::kDatatype, [=] {
    return indexed<DisplacementUnit::kBytes>(MPI_COMBINER_HINDEXED, count, lengths, displacements,
                                             oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_hindexed_c);

int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                     const MPI_Count displacements[], MPI_Datatype oldtype,
                                     MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_indexed_block_c", ObjectKind::kDatatype, [=] {
    return indexed_block<DisplacementUnit::kExtents>(MPI_COMBINER_INDEXED_BLOCK, count, blocklength,
                                                     displacements, oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_indexed_block_c);

int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                      const MPI_Count displacements[], MPI_Datatype oldtype,
                                      MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_hindexed_block_c", ObjectKind::kDatatype, [=] {
    return indexed_block<DisplacementUnit::kBytes>(MPI_COMBINER_HINDEXED_BLOCK, count, blocklength,
                                                   displacements, oldtype, newtype);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_hindexed_block_c);

int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count lengths[],
                              const MPI_Count displacements[], const MPI_Datatype types[],
                              MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_struct_c", ObjectKind::kDatatype,
                  [=] { return structure(count, lengths, displacements, types, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_struct_c);

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                               MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_create_resized_c", ObjectKind::kDatatype,
                  [=] { return resized<MPI_Count>(oldtype, lb, extent, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_create_resized_c);

}  // extern "C"

}  // namespace lintel::mpi
