#pragma once
// What the attribute functions of communicators and of datatypes have in common: keys with the
// program's callbacks, and the values of one object. Each gives MPI_SUCCESS, the error class, or
// the code of a callback.

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

// The callbacks of the objects that `Handle` names, as the program's functions have them.
template <class Handle>
using CopyFunction = int(Handle object, int key, void* extra_state, void* value, void* copied,
                         int* flag);
template <class Handle>
using DeleteFunction = int(Handle object, int key, void* value, void* extra_state);

// `none` and `duplicate` are the predefined functions that copy nothing, and the value as it is.
template <class Handle>
Keyval::Copy copy_of(CopyFunction<Handle>* function, CopyFunction<Handle>* none,
                     CopyFunction<Handle>* duplicate, void* extra_state) {
  if (function == none) return nullptr;
  if (function == duplicate) {
    return [](std::uintptr_t, int, void* value, void** copied, bool* keep) {
      *copied = value;
      *keep = true;
      return MPI_SUCCESS;
    };
  }
  return [function, extra_state](std::uintptr_t object, int key, void* value, void** copied,
                                 bool* keep) {
    int flag = 0;
    const int error = function(handle_of<Handle>(object), key, extra_state, value, copied, &flag);
    *keep = flag != 0;
    return error;
  };
}

// `none` is the predefined function that does nothing.
template <class Handle>
Keyval::Delete delete_of(DeleteFunction<Handle>* function, DeleteFunction<Handle>* none,
                         void* extra_state) {
  if (function == none) return nullptr;
  return [function, extra_state](std::uintptr_t object, int key, void* value) {
    return function(handle_of<Handle>(object), key, value, extra_state);
  };
}

int create_keyval(HandleKind kind, Keyval::Copy copy, Keyval::Delete remove, int* keyval);
int free_keyval(HandleKind kind, int* keyval);

// `object` is the number of the handle of whom the attributes are.
int set_attribute(HandleKind kind, AttributeCache& attributes, std::uintptr_t object, int keyval,
                  void* value);
// REQUIRES: `value` and `flag` are not null.
int get_attribute(HandleKind kind, const AttributeCache& attributes, int keyval, void* value,
                  int* flag);
int delete_attribute(HandleKind kind, AttributeCache& attributes, std::uintptr_t object,
                     int keyval);

}  // namespace lintel::mpi
