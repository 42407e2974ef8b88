#include "mpi_layer/mpi/functions/keyval_calls.h"

#include <utility>

namespace lintel::mpi {

int create_keyval(ObjectKind kind, Keyval::Copy copy, Keyval::Delete remove, int* keyval) {
  if (keyval == nullptr) return MPI_ERR_ARG;
  const int number =
      local_objects().keyvals.create(static_cast<int>(kind), std::move(copy), std::move(remove));
  if (number == 0) return MPI_ERR_NO_MEM;
  *keyval = number;
  return MPI_SUCCESS;
}

int free_keyval(ObjectKind kind, int* keyval) {
  if (keyval == nullptr) return MPI_ERR_ARG;
  if (!local_objects().keyvals.free(*keyval, static_cast<int>(kind))) return MPI_ERR_KEYVAL;
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int set_attribute(ObjectKind kind, AttributeCache& attributes, std::uintptr_t object, int keyval,
                  void* value) {
  const KeyvalRef key = local_objects().keyvals.find(keyval, static_cast<int>(kind));
  if (!key) return MPI_ERR_KEYVAL;
  return attributes.set(key, value, object);
}

int get_attribute(ObjectKind kind, const AttributeCache& attributes, int keyval, void* value,
                  int* flag) {
  if (!local_objects().keyvals.find(keyval, static_cast<int>(kind))) return MPI_ERR_KEYVAL;
  *flag = attributes.get(keyval, static_cast<void**>(value)) ? 1 : 0;
  return MPI_SUCCESS;
}

int delete_attribute(ObjectKind kind, AttributeCache& attributes, std::uintptr_t object,
                     int keyval) {
  if (!local_objects().keyvals.find(keyval, static_cast<int>(kind))) return MPI_ERR_KEYVAL;
  bool found = false;
  const int error = attributes.remove(keyval, object, &found);
  return error == MPI_SUCCESS && !found ? MPI_ERR_KEYVAL : error;
}

}  // namespace lintel::mpi
