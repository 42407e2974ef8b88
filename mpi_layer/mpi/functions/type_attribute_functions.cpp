// Attributes of datatypes (MPI 5.0, clause 7.7.4).
#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

constexpr int kKind = static_cast<int>(HandleKind::kDatatype);

Keyval::Copy copy_of(MPI_Type_copy_attr_function* function, void* extra_state) {
  if (function == MPI_TYPE_NULL_COPY_FN) return nullptr;
  if (function == MPI_TYPE_DUP_FN) {
    return [](std::uintptr_t, int, void* value, void** copied, bool* keep) {
      *copied = value;
      *keep = true;
      return MPI_SUCCESS;
    };
  }
  return [function, extra_state](std::uintptr_t object, int key, void* value, void** copied, bool* keep) {
    int flag = 0;
    const int error = function(handle_of<MPI_Datatype>(object), key, extra_state, value, copied, &flag);
    *keep = flag != 0;
    return error;
  };
}

Keyval::Delete delete_of(MPI_Type_delete_attr_function* function, void* extra_state) {
  if (function == MPI_TYPE_NULL_DELETE_FN) return nullptr;
  return [function, extra_state](std::uintptr_t object, int key, void* value) {
    return function(handle_of<MPI_Datatype>(object), key, value, extra_state);
  };
}

}  // namespace

extern "C" {

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* keyval, void* extra_state) {
  return mpi_call("MPI_Type_create_keyval", HandleKind::kNone, [=]() -> int {
    if (keyval == nullptr) return MPI_ERR_ARG;
    const int number = local_objects().keyvals.create(kKind, copy_of(copy, extra_state), delete_of(remove, extra_state));
    if (number == 0) return MPI_ERR_NO_MEM;
    *keyval = number;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_create_keyval);

int PMPI_Type_free_keyval(int* keyval) {
  return mpi_call("MPI_Type_free_keyval", HandleKind::kNone, [=]() -> int {
    if (keyval == nullptr) return MPI_ERR_ARG;
    if (!local_objects().keyvals.free(*keyval, kKind)) return MPI_ERR_KEYVAL;
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_free_keyval);

int PMPI_Type_set_attr(MPI_Datatype datatype, int keyval, void* value) {
  return mpi_call("MPI_Type_set_attr", HandleKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    const KeyvalRef key = local_objects().keyvals.find(keyval, kKind);
    if (!key) return MPI_ERR_KEYVAL;
    return type->attributes().set(key, value, number_of(datatype));
  });
}
LINTEL_MPI_NAME(MPI_Type_set_attr);

int PMPI_Type_get_attr(MPI_Datatype datatype, int keyval, void* value, int* flag) {
  return mpi_call("MPI_Type_get_attr", HandleKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    if (const int error = check_pointers({value, flag}); error != MPI_SUCCESS) return error;
    if (!local_objects().keyvals.find(keyval, kKind)) return MPI_ERR_KEYVAL;
    *flag = type->attributes().get(keyval, static_cast<void**>(value)) ? 1 : 0;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Type_get_attr);

int PMPI_Type_delete_attr(MPI_Datatype datatype, int keyval) {
  return mpi_call("MPI_Type_delete_attr", HandleKind::kDatatype, [=]() -> int {
    const DatatypeRef type = find_datatype(datatype);
    if (!type) return MPI_ERR_TYPE;
    if (!local_objects().keyvals.find(keyval, kKind)) return MPI_ERR_KEYVAL;
    bool found = false;
    const int error = type->attributes().remove(keyval, number_of(datatype), &found);
    return error == MPI_SUCCESS && !found ? MPI_ERR_KEYVAL : error;
  });
}
LINTEL_MPI_NAME(MPI_Type_delete_attr);

}  // extern "C"

}  // namespace lintel::mpi
