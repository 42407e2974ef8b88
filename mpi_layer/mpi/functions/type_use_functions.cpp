// Commit, free and duplicate datatypes, and query them (MPI 5.0, clauses 5.1.5 to 5.1.13).
#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/new_type.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/objects/type_builder.h"

namespace lintel::mpi {

namespace {

int duplicate(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const DatatypeRef old = find_datatype(oldtype);
  if (!old) return MPI_ERR_TYPE;
  if (newtype == nullptr) return MPI_ERR_ARG;
  TypeBuilder builder;
  builder.add(old, 0, 1, 0);
  const std::shared_ptr<Datatype> type = builder.build({MPI_COMBINER_DUP, {}, {}, {}, {old}});
  if (old->is_committed() && type) type->commit();
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  if (const int error = give_type(type, &handle); error != MPI_SUCCESS) return error;
  if (const int error = old->attributes().copy_to(type->attributes(), number_of(oldtype));
      error != MPI_SUCCESS) {
    (void)type->attributes().remove_all(number_of(handle));  // the error of the copy is returned
    local_objects().datatypes.remove(number_of(handle));
    *newtype = MPI_DATATYPE_NULL;  // programs check it
    return error;
  }
  *newtype = handle;
  return MPI_SUCCESS;
}

int free_type(MPI_Datatype* handle) {
  if (handle == nullptr) return MPI_ERR_ARG;
  const std::uintptr_t number = number_of(*handle);
  const DatatypeRef type = local_objects().datatypes.find(number);
  if (!type) return MPI_ERR_TYPE;
  if (type->handles() == 1) {
    if (const int error = type->attributes().remove_all(number); error != MPI_SUCCESS) return error;
  }
  if (!local_objects().datatypes.remove(number)) return MPI_ERR_TYPE;
  type->remove_handle();
  *handle = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

template <class Number>
int size_of_type(MPI_Datatype datatype, Number* size) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type) return MPI_ERR_TYPE;
  if (size == nullptr) return MPI_ERR_ARG;
  if constexpr (sizeof(Number) == sizeof(int)) {
    *size = as_int(type->size());
  } else {
    *size = type->size();
  }
  return MPI_SUCCESS;
}

template <class Number>
int extent_of_type(MPI_Datatype datatype, bool of_data, Number* lower, Number* extent) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type) return MPI_ERR_TYPE;
  if (const int error = check_pointers({lower, extent}); error != MPI_SUCCESS) return error;
  const Shape& shape = type->shape();
  *lower = of_data ? shape.true_lower_bound : shape.lower_bound;
  *extent = of_data ? shape.true_upper_bound - shape.true_lower_bound : shape.extent();
  return MPI_SUCCESS;
}

int match_size(int typeclass, int size, MPI_Datatype* datatype) {
  if (datatype == nullptr) return MPI_ERR_ARG;
  struct TypeOfSize {
    int typeclass;
    int size;
    MPI_Datatype type;
  };
  static const TypeOfSize kTypesOfSize[] = {
      {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
      {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
      {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
      {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
      {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
      {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
      {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
  };
  for (const TypeOfSize& known : kTypesOfSize) {
    if (known.typeclass != typeclass || known.size != size) continue;
    *datatype = known.type;
    return MPI_SUCCESS;
  }
  return MPI_ERR_ARG;
}

// The predefined pair of that value and that index. A pair of two equal types has one part with two
// copies.
MPI_Datatype pair_of(std::uintptr_t value, std::uintptr_t index) {
  for (const DatatypeRef& type : predefined_datatypes()) {
    if (type->family() != Family::kPair) continue;
    const Part& first = type->parts().front();
    const Part& last = type->parts().back();
    if (first.type->number() == value && last.type->number() == index)
      return handle_of<MPI_Datatype>(type->number());
  }
  return MPI_DATATYPE_NULL;
}

int get_value_index(MPI_Datatype value, MPI_Datatype index, MPI_Datatype* pair) {
  if (!predefined_datatype(number_of(value)) || !predefined_datatype(number_of(index)))
    return MPI_ERR_TYPE;
  if (pair == nullptr) return MPI_ERR_ARG;
  *pair = pair_of(number_of(value), number_of(index));
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return mpi_call("MPI_Type_commit", ObjectKind::kDatatype, [=]() -> int {
    if (datatype == nullptr) return MPI_ERR_ARG;
    const DatatypeRef type = find_datatype(*datatype);
    if (!type) return MPI_ERR_TYPE;
    type->commit();
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_commit);

int PMPI_Type_free(MPI_Datatype* datatype) {
  return mpi_call("MPI_Type_free", ObjectKind::kDatatype, [=] { return free_type(datatype); });
}
LINTEL_MPI_NAME(MPI_Type_free);

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return mpi_call("MPI_Type_dup", ObjectKind::kDatatype,
                  [=] { return duplicate(oldtype, newtype); });
}
LINTEL_MPI_NAME(MPI_Type_dup);

int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  return mpi_call("MPI_Type_size", ObjectKind::kDatatype,
                  [=] { return size_of_type(datatype, size); });
}
LINTEL_MPI_NAME(MPI_Type_size);

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
  return mpi_call("MPI_Type_size_x", ObjectKind::kDatatype,
                  [=] { return size_of_type(datatype, size); });
}
LINTEL_MPI_NAME(MPI_Type_size_x);

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) {
  return mpi_call("MPI_Type_size_c", ObjectKind::kDatatype,
                  [=] { return size_of_type(datatype, size); });
}
LINTEL_MPI_NAME(MPI_Type_size_c);

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return mpi_call("MPI_Type_get_extent", ObjectKind::kDatatype,
                  [=] { return extent_of_type(datatype, false, lb, extent); });
}
LINTEL_MPI_NAME(MPI_Type_get_extent);

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return mpi_call("MPI_Type_get_extent_x", ObjectKind::kDatatype,
                  [=] { return extent_of_type(datatype, false, lb, extent); });
}
LINTEL_MPI_NAME(MPI_Type_get_extent_x);

int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return mpi_call("MPI_Type_get_extent_c", ObjectKind::kDatatype,
                  [=] { return extent_of_type(datatype, false, lb, extent); });
}
LINTEL_MPI_NAME(MPI_Type_get_extent_c);

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  return mpi_call("MPI_Type_get_true_extent", ObjectKind::kDatatype,
                  [=] { return extent_of_type(datatype, true, true_lb, true_extent); });
}
LINTEL_MPI_NAME(MPI_Type_get_true_extent);

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return mpi_call("MPI_Type_get_true_extent_x", ObjectKind::kDatatype,
                  [=] { return extent_of_type(datatype, true, true_lb, true_extent); });
}
LINTEL_MPI_NAME(MPI_Type_get_true_extent_x);

int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return mpi_call("MPI_Type_get_true_extent_c", ObjectKind::kDatatype,
                  [=] { return extent_of_type(datatype, true, true_lb, true_extent); });
}
LINTEL_MPI_NAME(MPI_Type_get_true_extent_c);

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  return mpi_call("MPI_Type_match_size", ObjectKind::kDatatype,
                  [=] { return match_size(typeclass, size, datatype); });
}
LINTEL_MPI_NAME(MPI_Type_match_size);

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                              MPI_Datatype* pair_type) {
  return mpi_call("MPI_Type_get_value_index", ObjectKind::kDatatype,
                  [=] { return get_value_index(value_type, index_type, pair_type); });
}
LINTEL_MPI_NAME(MPI_Type_get_value_index);

}  // extern "C"

}  // namespace lintel::mpi
