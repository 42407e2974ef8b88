// Access to statuses (MPI 5.0, clauses 3.2.5, 3.8.4, 5.1.11, 12.3).
#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/external32.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/objects/element_count.h"

namespace lintel::mpi {

namespace {

template <class Number>
Number as_count(std::optional<std::int64_t> count) {
  if (!count) return MPI_UNDEFINED;
  if constexpr (sizeof(Number) == sizeof(int)) {
    return as_int(*count);
  } else {
    return *count;
  }
}

std::optional<std::int64_t> items_in(const MPI_Status& status, const Datatype& type) {
  const std::int64_t bytes = received_bytes(status);
  const CheckedNumber item =
      counts_external32(status) ? external_form(type).size : CheckedNumber(type.size());
  if (bytes == 0) return 0;
  if (!item.fits() || item.value() == 0 || bytes % item.value() != 0) return std::nullopt;
  return bytes / item.value();
}

std::optional<std::int64_t> elements_in(const MPI_Status& status, const Datatype& type) {
  const std::int64_t bytes = received_bytes(status);
  return counts_external32(status) ? elements_in_external(type, bytes)
                                   : elements_in_bytes(type, bytes);
}

// `number_in` is items_in or elements_in.
template <class Number>
int get_number(const MPI_Status* status, MPI_Datatype datatype, Number* count,
               std::optional<std::int64_t> (*number_in)(const MPI_Status&, const Datatype&)) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type) return MPI_ERR_TYPE;
  if (const int error = check_pointers({status, count}); error != MPI_SUCCESS) return error;
  *count = as_count<Number>(number_in(*status, *type));
  return MPI_SUCCESS;
}

int set_elements(MPI_Status* status, MPI_Datatype datatype, std::int64_t count) {
  const DatatypeRef type = find_datatype(datatype);
  if (!type) return MPI_ERR_TYPE;
  if (status == nullptr) return MPI_ERR_ARG;
  if (count < 0) return MPI_ERR_COUNT;
  const std::optional<std::int64_t> bytes = bytes_of_elements(*type, count);
  if (!bytes) return MPI_ERR_ARG;
  set_received_bytes(*status, *bytes);
  return MPI_SUCCESS;
}

int get_field(const MPI_Status* status, int MPI_Status::*field, int* value) {
  if (const int error = check_pointers({status, value}); error != MPI_SUCCESS) return error;
  *value = status->*field;
  return MPI_SUCCESS;
}

int set_field(MPI_Status* status, int MPI_Status::*field, int value) {
  if (status == nullptr) return MPI_ERR_ARG;
  status->*field = value;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return mpi_call("MPI_Get_count", ObjectKind::kDatatype,
                  [=] { return get_number(status, datatype, count, items_in); });
}
LINTEL_MPI_NAME(MPI_Get_count);

int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return mpi_call("MPI_Get_count_c", ObjectKind::kDatatype,
                  [=] { return get_number(status, datatype, count, items_in); });
}
LINTEL_MPI_NAME(MPI_Get_count_c);

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return mpi_call("MPI_Get_elements", ObjectKind::kDatatype,
                  [=] { return get_number(status, datatype, count, elements_in); });
}
LINTEL_MPI_NAME(MPI_Get_elements);

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return mpi_call("MPI_Get_elements_x", ObjectKind::kDatatype,
                  [=] { return get_number(status, datatype, count, elements_in); });
}
LINTEL_MPI_NAME(MPI_Get_elements_x);

int PMPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return mpi_call("MPI_Get_elements_c", ObjectKind::kDatatype,
                  [=] { return get_number(status, datatype, count, elements_in); });
}
LINTEL_MPI_NAME(MPI_Get_elements_c);

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return mpi_call("MPI_Status_set_elements", ObjectKind::kDatatype,
                  [=] { return set_elements(status, datatype, count); });
}
LINTEL_MPI_NAME(MPI_Status_set_elements);

int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return mpi_call("MPI_Status_set_elements_x", ObjectKind::kDatatype,
                  [=] { return set_elements(status, datatype, count); });
}
LINTEL_MPI_NAME(MPI_Status_set_elements_x);

int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return mpi_call("MPI_Status_set_elements_c", ObjectKind::kDatatype,
                  [=] { return set_elements(status, datatype, count); });
}
LINTEL_MPI_NAME(MPI_Status_set_elements_c);

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  return mpi_call("MPI_Test_cancelled", ObjectKind::kNone, [=]() -> int {
    if (const int error = check_pointers({status, flag}); error != MPI_SUCCESS) return error;
    *flag = is_cancelled(*status) ? 1 : 0;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Test_cancelled);

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  return mpi_call("MPI_Status_set_cancelled", ObjectKind::kNone, [=]() -> int {
    if (status == nullptr) return MPI_ERR_ARG;
    set_cancelled(*status, flag != 0);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Status_set_cancelled);

int PMPI_Status_get_source(const MPI_Status* status, int* source) {
  return mpi_call("MPI_Status_get_source", ObjectKind::kNone,
                  [=] { return get_field(status, &MPI_Status::MPI_SOURCE, source); });
}
LINTEL_MPI_NAME(MPI_Status_get_source);

int PMPI_Status_get_tag(const MPI_Status* status, int* tag) {
  return mpi_call("MPI_Status_get_tag", ObjectKind::kNone,
                  [=] { return get_field(status, &MPI_Status::MPI_TAG, tag); });
}
LINTEL_MPI_NAME(MPI_Status_get_tag);

int PMPI_Status_get_error(const MPI_Status* status, int* error) {
  return mpi_call("MPI_Status_get_error", ObjectKind::kNone,
                  [=] { return get_field(status, &MPI_Status::MPI_ERROR, error); });
}
LINTEL_MPI_NAME(MPI_Status_get_error);

int PMPI_Status_set_source(MPI_Status* status, int source) {
  return mpi_call("MPI_Status_set_source", ObjectKind::kNone,
                  [=] { return set_field(status, &MPI_Status::MPI_SOURCE, source); });
}
LINTEL_MPI_NAME(MPI_Status_set_source);

int PMPI_Status_set_tag(MPI_Status* status, int tag) {
  return mpi_call("MPI_Status_set_tag", ObjectKind::kNone,
                  [=] { return set_field(status, &MPI_Status::MPI_TAG, tag); });
}
LINTEL_MPI_NAME(MPI_Status_set_tag);

int PMPI_Status_set_error(MPI_Status* status, int error) {
  return mpi_call("MPI_Status_set_error", ObjectKind::kNone,
                  [=] { return set_field(status, &MPI_Status::MPI_ERROR, error); });
}
LINTEL_MPI_NAME(MPI_Status_set_error);

}  // extern "C"

}  // namespace lintel::mpi
