// Attributes of communicators, and those that the library sets (MPI 5.0, clauses 7.7.2 and 9.1.2;
// IMPI 0.0, "Client and Host Attributes").
#include <atomic>
#include <climits>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/keyval_calls.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

constexpr ObjectKind kKind = ObjectKind::kCommunicator;

// The address of the value of a predefined key; null for other keys. The program may read the int
// there at any time from now on.
std::atomic<int>* predefined_value(int keyval) {
  static_assert(sizeof(std::atomic<int>) == sizeof(int));
  static std::atomic<int> greatest_tag{0};
  static std::atomic<int> clock_is_global{0};  // each machine has its own clock
  static std::atomic<int> host{MPI_PROC_NULL};
  static std::atomic<int> io{MPI_ANY_SOURCE};  // every rank
  static std::atomic<int> application{0};
  static std::atomic<int> universe{0};
  static std::atomic<int> last_code{0};
  switch (keyval) {
    case MPI_TAG_UB: greatest_tag = tag_bound(); return &greatest_tag;
    case MPI_WTIME_IS_GLOBAL: return &clock_is_global;
    case MPI_HOST: return &host;
    case MPI_IO: return &io;
    case MPI_APPNUM: return &application;
    case MPI_UNIVERSE_SIZE: universe = runtime().world()->size(); return &universe;
    case MPI_LASTUSEDCODE: last_code = local_objects().errors.last_used(); return &last_code;
    default: return nullptr;
  }
}

// The same of the keys that each communicator has values of its own for, once its processes are in
// a job of IMPI. The program reads them as long as there is the communicator.
bool is_impi_key(int keyval) {
  return keyval == IMPI_CLIENT_SIZE || keyval == IMPI_CLIENT_COLOR || keyval == IMPI_HOST_SIZE ||
         keyval == IMPI_HOST_COLOR;
}

const int* impi_value(const Communicator& communicator, int keyval) {
  const GroupClients* const clients = communicator.clients();
  if (clients == nullptr) return nullptr;
  const GroupClients::ImpiAttributes& values = clients->attributes();
  switch (keyval) {
    case IMPI_CLIENT_SIZE: return &values.client_size;
    case IMPI_CLIENT_COLOR: return &values.client_color;
    case IMPI_HOST_SIZE: return &values.host_size;
    default: return &values.host_color;
  }
}

}  // namespace

extern "C" {

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy,
                            MPI_Comm_delete_attr_function* remove, int* keyval, void* extra_state) {
  return mpi_call("MPI_Comm_create_keyval", ObjectKind::kNone, [=] {
    return create_keyval(
        kKind, copy_of<MPI_Comm>(copy, MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, extra_state),
        delete_of<MPI_Comm>(remove, MPI_COMM_NULL_DELETE_FN, extra_state), keyval);
  });
}
LINTEL_MPI_NAME(MPI_Comm_create_keyval);

int PMPI_Comm_free_keyval(int* keyval) {
  return mpi_call("MPI_Comm_free_keyval", ObjectKind::kNone,
                  [=] { return free_keyval(kKind, keyval); });
}
LINTEL_MPI_NAME(MPI_Comm_free_keyval);

int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  return communicator_call("MPI_Comm_set_attr", comm,
                           [=](const CommunicatorRef& communicator) -> int {
                             return set_attribute(kKind, communicator->attributes(),
                                                  communicator->handle(), keyval, value);
                           });
}
LINTEL_MPI_NAME(MPI_Comm_set_attr);

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  return communicator_call(
      "MPI_Comm_get_attr", comm, [=](const CommunicatorRef& communicator) -> int {
        if (const int error = check_pointers({value, flag}); error != MPI_SUCCESS) return error;
        if (std::atomic<int>* const predefined = predefined_value(keyval); predefined != nullptr) {
          *static_cast<void**>(value) = predefined;
          *flag = 1;
          return MPI_SUCCESS;
        }
        if (is_impi_key(keyval)) {
          const int* const found = impi_value(*communicator, keyval);
          if (found != nullptr) *static_cast<const void**>(value) = found;
          *flag = found != nullptr ? 1 : 0;
          return MPI_SUCCESS;
        }
        return get_attribute(kKind, communicator->attributes(), keyval, value, flag);
      });
}
LINTEL_MPI_NAME(MPI_Comm_get_attr);

int PMPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  return communicator_call(
      "MPI_Comm_delete_attr", comm, [=](const CommunicatorRef& communicator) -> int {
        return delete_attribute(kKind, communicator->attributes(), communicator->handle(), keyval);
      });
}
LINTEL_MPI_NAME(MPI_Comm_delete_attr);

// The names of MPI 1; errors are reported with the new names.
int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* keyval,
                       void* extra_state) {
  return PMPI_Comm_create_keyval(copy, remove, keyval, extra_state);
}
LINTEL_MPI_NAME(MPI_Keyval_create);

int PMPI_Keyval_free(int* keyval) { return PMPI_Comm_free_keyval(keyval); }
LINTEL_MPI_NAME(MPI_Keyval_free);

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* value) {
  return PMPI_Comm_set_attr(comm, keyval, value);
}
LINTEL_MPI_NAME(MPI_Attr_put);

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  return PMPI_Comm_get_attr(comm, keyval, value, flag);
}
LINTEL_MPI_NAME(MPI_Attr_get);

int PMPI_Attr_delete(MPI_Comm comm, int keyval) { return PMPI_Comm_delete_attr(comm, keyval); }
LINTEL_MPI_NAME(MPI_Attr_delete);

}  // extern "C"

}  // namespace lintel::mpi
