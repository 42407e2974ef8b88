// Attributes of datatypes (MPI 5.0, clause 7.7.4).
#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/keyval_calls.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

constexpr ObjectKind kKind = ObjectKind::kDatatype;

}  // namespace

extern "C" {

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy,
                            MPI_Type_delete_attr_function* remove, int* keyval, void* extra_state) {
  return mpi_call("MPI_Type_create_keyval", ObjectKind::kNone, [=] {
    return create_keyval(
        kKind, copy_of<MPI_Datatype>(copy, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN, extra_state),
        delete_of<MPI_Datatype>(remove, MPI_TYPE_NULL_DELETE_FN, extra_state), keyval);
  });
}
LINTEL_MPI_NAME(MPI_Type_create_keyval);

int PMPI_Type_free_keyval(int* keyval) {
  return mpi_call("MPI_Type_free_keyval", ObjectKind::kNone,
                  [=] { return free_keyval(kKind, keyval); });
}
LINTEL_MPI_NAME(MPI_Type_free_keyval);

int PMPI_Type_set_attr(MPI_Datatype datatype, int keyval, void* value) {
  return mpi_call("MPI_Type_set_attr", ObjectKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    return set_attribute(kKind, type->attributes(), number_of(datatype), keyval, value);
  });
}
LINTEL_MPI_NAME(MPI_Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype datatype, int keyval, void* value, int* flag) {
  return mpi_call("MPI_Type_get_attr", ObjectKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    if (const int error = check_pointers({value, flag}); error != MPI_SUCCESS) return error;
    return get_attribute(kKind, type->attributes(), keyval, value, flag);
  });
}
LINTEL_MPI_NAME(MPI_Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int keyval) {
  return mpi_call("MPI_Type_delete_attr", ObjectKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    return delete_attribute(kKind, type->attributes(), number_of(datatype), keyval);
  });
}
LINTEL_MPI_NAME(MPI_Type_delete_attr);

}  // extern "C"

}  // namespace lintel::mpi
