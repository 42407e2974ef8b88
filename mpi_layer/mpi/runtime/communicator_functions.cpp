// Properties of communicators (MPI 5.0, clauses 7.4.1, 7.6.1, 7.8).
#include <cstring>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

int give_number(int value, int* number) {
  if (number == nullptr) return MPI_ERR_ARG;
  *number = value;
  return MPI_SUCCESS;
}

int compare(const Communicator& one, const Communicator& other) {
  if (&one == &other) return MPI_IDENT;
  if (one.group()->is_identical(*other.group())) return MPI_CONGRUENT;
  return one.group()->is_similar(*other.group()) ? MPI_SIMILAR : MPI_UNEQUAL;
}

}  // namespace

extern "C" {

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  return communicator_call("MPI_Comm_rank", comm, [=](const CommunicatorRef& communicator) {
    return give_number(communicator->rank(), rank);
  });
}
LINTEL_MPI_NAME(MPI_Comm_rank);

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  return communicator_call("MPI_Comm_size", comm, [=](const CommunicatorRef& communicator) {
    return give_number(communicator->size(), size);
  });
}
LINTEL_MPI_NAME(MPI_Comm_size);

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return communicator_call("MPI_Comm_test_inter", comm,
                           [=](const CommunicatorRef&) { return give_number(0, flag); });
}
LINTEL_MPI_NAME(MPI_Comm_test_inter);

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return communicator_call("MPI_Comm_compare", comm1, [=](const CommunicatorRef& one) -> int {
    const CommunicatorRef other = find_communicator(comm2);
    if (!other) return MPI_ERR_COMM;
    return give_number(compare(*one, *other), result);
  });
}
LINTEL_MPI_NAME(MPI_Comm_compare);

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return communicator_call("MPI_Comm_group", comm, [=](const CommunicatorRef& communicator) -> int {
    if (group == nullptr) return MPI_ERR_ARG;
    const MPI_Group handle = new_handle(communicator->group());
    if (handle == MPI_GROUP_NULL) return MPI_ERR_NO_MEM;
    *group = handle;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Comm_group);

int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  return communicator_call(
      "MPI_Comm_set_name", comm, [=](const CommunicatorRef& communicator) -> int {
        if (comm_name == nullptr) return MPI_ERR_ARG;
        communicator->set_name({comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1)});
        return MPI_SUCCESS;
      });
}
LINTEL_MPI_NAME(MPI_Comm_set_name);

int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  const auto give = [=](std::string_view name) -> int {
    if (const int error = check_pointers({comm_name, resultlen}); error != MPI_SUCCESS)
      return error;
    *resultlen = copy_text(name, comm_name, MPI_MAX_OBJECT_NAME);
    return MPI_SUCCESS;
  };
  if (comm == MPI_COMM_NULL)
    return runtime_call("MPI_Comm_get_name",
                        [&](CommunicatorRef*) { return give("MPI_COMM_NULL"); });
  return communicator_call("MPI_Comm_get_name", comm, [&](const CommunicatorRef& communicator) {
    return give(communicator->name());
  });
}
LINTEL_MPI_NAME(MPI_Comm_get_name);

// Hints may be set, but none has an effect, so none are reported as used.
int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  return communicator_call("MPI_Comm_set_info", comm, [=](const CommunicatorRef&) -> int {
    return find_info(info) ? MPI_SUCCESS : MPI_ERR_INFO;
  });
}
LINTEL_MPI_NAME(MPI_Comm_set_info);

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  return communicator_call("MPI_Comm_get_info", comm, [=](const CommunicatorRef&) -> int {
    return info_used == nullptr ? MPI_ERR_ARG : give_info(std::make_shared<Info>(), info_used);
  });
}
LINTEL_MPI_NAME(MPI_Comm_get_info);

// There are no intercommunicators, parents or topologies.
int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  return communicator_call("MPI_Comm_remote_size", comm, [=](const CommunicatorRef&) -> int {
    return size == nullptr ? MPI_ERR_ARG : MPI_ERR_COMM;
  });
}
LINTEL_MPI_NAME(MPI_Comm_remote_size);

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  return communicator_call("MPI_Comm_remote_group", comm, [=](const CommunicatorRef&) -> int {
    return group == nullptr ? MPI_ERR_ARG : MPI_ERR_COMM;
  });
}
LINTEL_MPI_NAME(MPI_Comm_remote_group);

int PMPI_Comm_get_parent(MPI_Comm* parent) {
  return runtime_call("MPI_Comm_get_parent", [=](CommunicatorRef*) -> int {
    if (parent == nullptr) return MPI_ERR_ARG;
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Comm_get_parent);

int PMPI_Topo_test(MPI_Comm comm, int* status) {
  return communicator_call("MPI_Topo_test", comm, [=](const CommunicatorRef&) {
    return give_number(MPI_UNDEFINED, status);
  });
}
LINTEL_MPI_NAME(MPI_Topo_test);

}  // extern "C"

}  // namespace lintel::mpi
