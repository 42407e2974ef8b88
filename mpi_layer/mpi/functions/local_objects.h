#pragma once
// LocalObjects: what the C functions share: the tables behind handles, keys and error codes. The
// only mutable state of this layer.
//
// One for the process, made at first use and never destroyed: threads may call until the very end.
// Any thread.

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
  HandleTable<const Datatype> datatypes{HandleKind::kDatatype};
  HandleTable<const UserOperation> operations{HandleKind::kOperation};
  HandleTable<const Group> groups{HandleKind::kGroup};
  HandleTable<Info> infos{HandleKind::kInfo};
  KeyvalTable keyvals;
  ErrorTable errors{MPI_ERR_LASTCODE + 1};
  std::atomic<int> world_rank{0};  // of this process; a world of one until the start-up says
                                   // otherwise
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

// Null for MPI_DATATYPE_NULL and whatever names no datatype. Of predefined types it costs neither a
// lock nor a reference.
DatatypeRef find_datatype(MPI_Datatype handle);
// The handle of a predefined type is its own; a derived one gets another each time.
// MPI_DATATYPE_NULL when no more fit.
MPI_Datatype new_handle(const DatatypeRef& type);

// The predefined datatype of that handle's value, or null. In predefined_types.cpp.
DatatypeRef predefined_datatype(std::uintptr_t number);
// Those there are, in the order of their numbers.
std::span<const DatatypeRef> predefined_datatypes();

// Null for MPI_GROUP_NULL and whatever names no group.
GroupRef find_group(MPI_Group handle);
// MPI_GROUP_EMPTY for a group without members. MPI_GROUP_NULL when no more fit.
MPI_Group new_handle(const GroupRef& group);

// Null for MPI_INFO_NULL and whatever names no info. MPI_INFO_ENV is found, and empty.
std::shared_ptr<Info> find_info(MPI_Info handle);
// MPI_ERR_NO_MEM when no more fit.
int give_info(std::shared_ptr<Info> info, MPI_Info* handle);

}  // namespace lintel::mpi
