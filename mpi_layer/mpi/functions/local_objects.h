#pragma once
// LocalObjects: the tables behind handles, keys and error codes, which the C functions share. It is
// the only mutable state of this layer.
//
// One per process, made at first use and never destroyed, because threads may call until the end of
// the process. Any thread.

#include <atomic>
#include <cstdint>
#include <span>

#include "mpi.h"
#include "mpi_layer/mpi/objects/attributes.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/error_table.h"
#include "mpi_layer/mpi/objects/group.h"
#include "mpi_layer/mpi/objects/handle_table.h"
#include "mpi_layer/mpi/objects/info.h"
#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

struct LocalObjects {
  HandleTable<const Datatype> datatypes{ObjectKind::kDatatype};
  HandleTable<const UserOperation> operations{ObjectKind::kOperation};
  HandleTable<const Group> groups{ObjectKind::kGroup};
  HandleTable<Info> infos{ObjectKind::kInfo};
  KeyvalTable keyvals;
  ErrorTable errors{MPI_ERR_LASTCODE + 1};
  std::atomic<int> world_rank{0};  // of this process; 0 until the start-up sets it
};

LocalObjects& local_objects();

template <class Handle>
std::uintptr_t number_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
template <class Handle>
Handle handle_of(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr): handles are
                                            // numbers that look like pointers
}

// Null for MPI_DATATYPE_NULL and invalid handles. For predefined types it takes neither a lock nor
// a reference.
DatatypeRef find_datatype(MPI_Datatype handle);
// A predefined type has one handle; a derived type gets a new one each time. MPI_DATATYPE_NULL if
// the table is full.
MPI_Datatype new_handle(const DatatypeRef& type);

// The predefined datatype with that handle value, or null. Defined in predefined_types.cpp.
DatatypeRef predefined_datatype(std::uintptr_t number);
// All predefined datatypes, sorted by number.
std::span<const DatatypeRef> predefined_datatypes();

// Null for MPI_GROUP_NULL and invalid handles.
GroupRef find_group(MPI_Group handle);
// MPI_GROUP_EMPTY for a group without members. MPI_GROUP_NULL if the table is full.
MPI_Group new_handle(const GroupRef& group);

// Null for MPI_INFO_NULL and invalid handles. MPI_INFO_ENV is found, and is empty.
std::shared_ptr<Info> find_info(MPI_Info handle);
// Sets `*handle`. MPI_ERR_NO_MEM: the table is full.
int give_info(std::shared_ptr<Info> info, MPI_Info* handle);

}  // namespace lintel::mpi
