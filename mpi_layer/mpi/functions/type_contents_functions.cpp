// How a datatype was made, and its name (MPI 5.0, clauses 5.1.13 and 7.8).
#include <algorithm>
#include <cstring>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

int get_envelope(MPI_Datatype datatype, int* integers, int* addresses, int* types, int* combiner) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type) return MPI_ERR_TYPE;
  if (const int error = check_pointers({integers, addresses, types, combiner}); error != MPI_SUCCESS) return error;
  const Contents& contents = type->contents();
  *integers = static_cast<int>(contents.integers.size());
  *addresses = static_cast<int>(contents.addresses.size());
  *types = static_cast<int>(contents.types.size());
  *combiner = contents.combiner;
  return MPI_SUCCESS;
}

struct Room {
  int integers;
  int addresses;
  int types;
};

int get_contents(MPI_Datatype datatype, Room room, int* integers, MPI_Aint* addresses, MPI_Datatype* types) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type || type->is_predefined()) return MPI_ERR_TYPE;
  const Contents& contents = type->contents();
  const auto fits = [](const auto& values, int most, const void* array) {
    return values.empty() || (most >= 0 && values.size() <= static_cast<std::size_t>(most) && array != nullptr);
  };
  if (!fits(contents.integers, room.integers, integers) || !fits(contents.addresses, room.addresses, addresses) ||
      !fits(contents.types, room.types, types)) {
    return MPI_ERR_ARG;
  }
  std::copy(contents.integers.begin(), contents.integers.end(), integers);
  std::copy(contents.addresses.begin(), contents.addresses.end(), addresses);
  std::transform(contents.types.begin(), contents.types.end(), types, [](const DatatypeRef& part) { return new_handle(part); });
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner) {
  return mpi_call("MPI_Type_get_envelope", HandleKind::kDatatype,
                  [=] { return get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner); });
}
LINTEL_MPI_NAME(MPI_Type_get_envelope);

int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[],
                           MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  return mpi_call("MPI_Type_get_contents", HandleKind::kDatatype, [=] {
    return get_contents(datatype, {max_integers, max_addresses, max_datatypes}, integers, addresses, datatypes);
  });
}
LINTEL_MPI_NAME(MPI_Type_get_contents);

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  return mpi_call("MPI_Type_get_name", HandleKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    if (const int error = check_pointers({type_name, resultlen}); error != MPI_SUCCESS) return error;
    *resultlen = copy_text(type->name(), type_name, MPI_MAX_OBJECT_NAME);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_get_name);

int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  return mpi_call("MPI_Type_set_name", HandleKind::kDatatype, [=]() -> int {
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
