// How a datatype was made, and its name (MPI 5.0, clauses 5.1.13 and 7.8).
#include <algorithm>
#include <cstring>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

// Null `large_counts`: the calling function cannot return large counts, so it fails for a type that
// has some (clause 5.1.13).
template <class Number>
int get_envelope(MPI_Datatype datatype, Number* integers, Number* addresses, Number* large_counts,
                 Number* types, int* combiner) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type) return MPI_ERR_TYPE;
  if (const int error = check_pointers({integers, addresses, types, combiner});
      error != MPI_SUCCESS)
    return error;
  const Contents& contents = type->contents();
  if (large_counts == nullptr && !contents.large_counts.empty()) return MPI_ERR_TYPE;
  *integers = static_cast<Number>(contents.integers.size());
  *addresses = static_cast<Number>(contents.addresses.size());
  if (large_counts != nullptr) *large_counts = static_cast<Number>(contents.large_counts.size());
  *types = static_cast<Number>(contents.types.size());
  *combiner = contents.combiner;
  return MPI_SUCCESS;
}

// An array of the caller for one kind of the contents.
template <class T>
struct OutputArray {
  std::int64_t most;
  T* array;

  template <class Values>
  bool takes(const Values& values) const {
    return values.empty() ||
           (most >= 0 && values.size() <= static_cast<std::size_t>(most) && array != nullptr);
  }
};

int get_contents(MPI_Datatype datatype, OutputArray<int> integers, OutputArray<MPI_Aint> addresses,
                 OutputArray<MPI_Count> large_counts, OutputArray<MPI_Datatype> types) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type || type->is_predefined()) return MPI_ERR_TYPE;
  const Contents& contents = type->contents();
  if (!integers.takes(contents.integers) || !addresses.takes(contents.addresses) ||
      !large_counts.takes(contents.large_counts) || !types.takes(contents.types)) {
    return MPI_ERR_ARG;
  }
  std::copy(contents.integers.begin(), contents.integers.end(), integers.array);
  std::copy(contents.addresses.begin(), contents.addresses.end(), addresses.array);
  std::copy(contents.large_counts.begin(), contents.large_counts.end(), large_counts.array);
  std::transform(contents.types.begin(), contents.types.end(), types.array,
                 [](const DatatypeRef& part) { return new_handle(part); });
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses,
                           int* num_datatypes, int* combiner) {
  return mpi_call("MPI_Type_get_envelope", ObjectKind::kDatatype, [=] {
    return get_envelope<int>(datatype, num_integers, num_addresses, nullptr, num_datatypes,
                             combiner);
  });
}
LINTEL_MPI_NAME(MPI_Type_get_envelope);

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers,
                             MPI_Count* num_addresses, MPI_Count* num_large_counts,
                             MPI_Count* num_datatypes, int* combiner) {
  return mpi_call("MPI_Type_get_envelope_c", ObjectKind::kDatatype, [=]() -> int {
    if (num_large_counts == nullptr) return MPI_ERR_ARG;
    return get_envelope(datatype, num_integers, num_addresses, num_large_counts, num_datatypes,
                        combiner);
  });
}
LINTEL_MPI_NAME(MPI_Type_get_envelope_c);

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                           int max_datatypes, int integers[], MPI_Aint addresses[],
                           MPI_Datatype datatypes[]) {
  return mpi_call("MPI_Type_get_contents", ObjectKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (type && !type->contents().large_counts.empty()) return MPI_ERR_TYPE;
    return get_contents(datatype, {max_integers, integers}, {max_addresses, addresses},
                        {0, nullptr}, {max_datatypes, datatypes});
  });
}
LINTEL_MPI_NAME(MPI_Type_get_contents);

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                             MPI_Aint addresses[], MPI_Count large_counts[],
                             MPI_Datatype datatypes[]) {
  return mpi_call("MPI_Type_get_contents_c", ObjectKind::kDatatype, [=] {
    return get_contents(datatype, {max_integers, integers}, {max_addresses, addresses},
                        {max_large_counts, large_counts}, {max_datatypes, datatypes});
  });
}
LINTEL_MPI_NAME(MPI_Type_get_contents_c);

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  return mpi_call("MPI_Type_get_name", ObjectKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type && datatype != MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
    if (const int error = check_pointers({type_name, resultlen}); error != MPI_SUCCESS)
      return error;
    *resultlen =
        copy_text(type ? type->name() : "MPI_DATATYPE_NULL", type_name, MPI_MAX_OBJECT_NAME);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_get_name);

int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  return mpi_call("MPI_Type_set_name", ObjectKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    if (type_name == nullptr) return MPI_ERR_ARG;
    type->set_name(std::string(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1)));
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_set_name);

}  // extern "C"

}  // namespace lintel::mpi
