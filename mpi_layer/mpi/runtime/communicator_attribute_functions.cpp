// Attributes of communicators, and those that the library sets (MPI 5.0, clauses 7.7.2 and 9.1.2).
#include <atomic>
#include <climits>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

constexpr int kKind = static_cast<int>(HandleKind::kCommunicator);

Keyval::Copy copy_of(MPI_Comm_copy_attr_function* function, void* extra_state) {
  if (function == MPI_COMM_NULL_COPY_FN) return nullptr;
  if (function == MPI_COMM_DUP_FN) {
    return [](std::uintptr_t, int, void* value, void** copied, bool* keep) {
      *copied = value;
      *keep = true;
      return MPI_SUCCESS;
    };
  }
  return [function, extra_state](std::uintptr_t object, int key, void* value, void** copied, bool* keep) {
    int flag = 0;
    const int error = function(handle_of<MPI_Comm>(object), key, extra_state, value, copied, &flag);
    *keep = flag != 0;
    return error;
  };
}

Keyval::Delete delete_of(MPI_Comm_delete_attr_function* function, void* extra_state) {
  if (function == MPI_COMM_NULL_DELETE_FN) return nullptr;
  return [function, extra_state](std::uintptr_t object, int key, void* value) {
    return function(handle_of<MPI_Comm>(object), key, value, extra_state);
  };
}

// Where the value of a predefined key lies; null for other keys. The program reads an int there, at any time from now on.
std::atomic<int>* predefined_value(int keyval) {
  static_assert(sizeof(std::atomic<int>) == sizeof(int));
  static std::atomic<int> tag_bound{kMaxTag};
  static std::atomic<int> clock_is_global{0};  // each machine has its own
  static std::atomic<int> host{MPI_PROC_NULL};
  static std::atomic<int> io{MPI_ANY_SOURCE};  // every rank
  static std::atomic<int> application{0};
  static std::atomic<int> universe{0};
  static std::atomic<int> last_code{0};
  switch (keyval) {
    case MPI_TAG_UB: return &tag_bound;
    case MPI_WTIME_IS_GLOBAL: return &clock_is_global;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_APPNUM: return &application;
    case MPI_UNIVERSE_SIZE: universe = runtime().world()->size(); return &universe;
    case MPI_LASTUSEDCODE: last_code = local_objects().errors.last_used(); return &last_code;
    default: return nullptr;
  }
}

}  // namespace

extern "C" {

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval, void* extra_state) {
  return mpi_call("MPI_Comm_create_keyval", HandleKind::kNone, [=]() -> int {
    if (keyval == nullptr) return MPI_ERR_ARG;
    const int number = local_objects().keyvals.create(kKind, copy_of(copy, extra_state), delete_of(remove, extra_state));
    if (number == 0) return MPI_ERR_NO_MEM;
    *keyval = number;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Comm_create_keyval);

int PMPI_Comm_free_keyval(int* keyval) {
  return mpi_call("MPI_Comm_free_keyval", HandleKind::kNone, [=]() -> int {
    if (keyval == nullptr) return MPI_ERR_ARG;
    if (!local_objects().keyvals.free(*keyval, kKind)) return MPI_ERR_KEYVAL;
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Comm_free_keyval);

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  return communicator_call("MPI_Comm_set_attr", comm, [=](const CommunicatorRef& communicator) -> int {
    const KeyvalRef key = local_objects().keyvals.find(keyval, kKind);
    if (!key) return MPI_ERR_KEYVAL;
    return communicator->attributes().set(key, value, communicator->handle());
  });
}
LINTEL_MPI_NAME(MPI_Comm_set_attr);

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  return communicator_call("MPI_Comm_get_attr", comm, [=](const CommunicatorRef& communicator) -> int {
    if (const int error = check_pointers({value, flag}); error != MPI_SUCCESS) return error;
    if (std::atomic<int>* const predefined = predefined_value(keyval); predefined != nullptr) {
      *static_cast<void**>(value) = predefined;
      *flag = 1;
      return MPI_SUCCESS;
    }
    if (!local_objects().keyvals.find(keyval, kKind)) return MPI_ERR_KEYVAL;
    *flag = communicator->attributes().get(keyval, static_cast<void**>(value)) ? 1 : 0;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Comm_get_attr);

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  return communicator_call("MPI_Comm_delete_attr", comm, [=](const CommunicatorRef& communicator) -> int {
    if (!local_objects().keyvals.find(keyval, kKind)) return MPI_ERR_KEYVAL;
    bool found = false;
    const int error = communicator->attributes().remove(keyval, communicator->handle(), &found);
    return error == MPI_SUCCESS && !found ? MPI_ERR_KEYVAL : error;
  });
}
LINTEL_MPI_NAME(MPI_Comm_delete_attr);

}  // extern "C"

}  // namespace lintel::mpi
