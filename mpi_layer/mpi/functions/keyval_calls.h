#pragma once
// Common code of the attribute functions of communicators and datatypes: keys with callbacks of the
// program, and the values of one object. Each function returns MPI_SUCCESS, the error class, or the
// code of a callback.

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

// The types of the program's callbacks for objects with handles of type `Handle`.
template <class Handle>
using CopyFunction = int(Handle object, int key, void* extra_state, void* value, void* copied,
                         int* flag);
template <class Handle>
using DeleteFunction = int(Handle object, int key, void* value, void* extra_state);

// `none` and `duplicate` are the predefined functions that copy nothing, and that copy the value
// unchanged.
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

int create_keyval(ObjectKind kind, Keyval::Copy copy, Keyval::Delete remove, int* keyval);
int free_keyval(ObjectKind kind, int* keyval);

// `object` is the handle number of the object that has the attributes.
int set_attribute(ObjectKind kind, AttributeCache& attributes, std::uintptr_t object, int keyval,
                  void* value);
// REQUIRES: `value` and `flag` are not null.
int get_attribute(ObjectKind kind, const AttributeCache& attributes, int keyval, void* value,
                  int* flag);
int delete_attribute(ObjectKind kind, AttributeCache& attributes, std::uintptr_t object,
                     int keyval);

}  // namespace lintel::mpi
