// Making and freeing communicators (MPI 5.0, clauses 7.4.2 and 7.4.3).
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/background_request.h"
#include "mpi_layer/mpi/runtime/context_agreement.h"
#include "mpi_layer/mpi/runtime/new_communicator.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

const GroupRef& empty_group() {
  static const auto& group = *new GroupRef(std::make_shared<Group>(std::vector<int>{}));
  return group;
}

// Hints are checked but have no effect.
int check_hints(MPI_Info info) {
  return info == MPI_INFO_NULL || find_info(info) ? MPI_SUCCESS : MPI_ERR_INFO;
}

int duplicate(const CommunicatorRef& parent, MPI_Info info, MPI_Comm* newcomm) {
  if (newcomm == nullptr) return MPI_ERR_ARG;
  if (const int error = check_hints(info); error != MPI_SUCCESS) return error;
  return make_communicator(Team(parent), parent, parent->group(), AttributeCopying::kCopied,
                           newcomm);
}

int begin_duplicate(const CommunicatorRef& parent, MPI_Info info, MPI_Comm* newcomm,
                    MPI_Request* request) {
  if (newcomm == nullptr || request == nullptr) return MPI_ERR_ARG;
  if (const int error = check_hints(info); error != MPI_SUCCESS) return error;
  const auto number = std::make_shared<std::uint32_t>(0);
  const std::int32_t tag = parent->next_tag();
  // Attributes are copied now (clause 7.4.2). A process whose copy function fails still takes part,
  // so that the others do not wait for it; its request reports the error.
  const auto inheritance = std::make_shared<Inheritance>(*parent, AttributeCopying::kCopied);
  return make_background_request(
      parent,
      [=] {
        return agree_on_context(Team(parent, *parent->group(), parent->rank(), tag), number.get());
      },
      [=] { return enter_communicator(*number, parent->group(), *inheritance, newcomm); }, request);
}

// Makes a communicator of the ranks with the color of this process, in the order of their keys,
// then of their ranks. Each rank sends its proposal for the context together with its color.
int split(const CommunicatorRef& parent, int color, int key, MPI_Comm* result) {
  struct Said {
    std::int64_t color, key, context;
  };
  constexpr std::size_t kNumbers = sizeof(Said) / sizeof(std::int64_t);
  const Team team(parent);
  ContextProposal proposal;
  const std::array<std::int64_t, kNumbers> own{color, key, proposal.number()};
  std::vector<std::int64_t> all(kNumbers * static_cast<std::size_t>(team.size()));
  if (const int error = team.gather_all(own, all); error != MPI_SUCCESS) return error;
  const auto said_by = [&](int rank) {
    const auto* const numbers = &all[kNumbers * static_cast<std::size_t>(rank)];
    return Said{numbers[0], numbers[1], numbers[2]};
  };
  std::vector<int> members;
  ProposedContexts proposed{ContextTable::kEnd, 0};
  for (int rank = 0; rank < team.size(); ++rank) {
    const Said said = said_by(rank);
    proposed.lowest = std::min(proposed.lowest, static_cast<std::uint32_t>(said.context));
    proposed.highest = std::max(proposed.highest, static_cast<std::uint32_t>(said.context));
    if (color != MPI_UNDEFINED && said.color == color) members.push_back(rank);
  }
  std::ranges::stable_sort(members, {}, [&](int rank) { return said_by(rank).key; });
  std::uint32_t number = 0;
  if (const int error = agree_on_context(team, proposal, proposed, &number); error != MPI_SUCCESS)
    return error;
  const GroupRef group = members.empty() ? empty_group() : parent->group()->including(members);
  Inheritance inheritance(*parent, AttributeCopying::kNone);
  return enter_communicator(number, group, inheritance, result);
}

// The lowest rank on this node identifies the node.
int first_on_this_node(const Communicator& communicator) {
  const World& world = runtime().job().world();
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (world.on_this_node[static_cast<std::size_t>(communicator.group()->world_rank(rank))])
      return rank;
  }
  return communicator.rank();
}

// The kinds of clause 7.4.2. Only one level of hardware is known here: the machine, whose processes
// share memory.
bool is_split_kind(int kind) {
  return kind == MPI_COMM_TYPE_SHARED || kind == MPI_COMM_TYPE_HW_UNGUIDED ||
         kind == MPI_COMM_TYPE_HW_GUIDED || kind == MPI_COMM_TYPE_RESOURCE_GUIDED ||
         kind == MPI_UNDEFINED;
}

bool asks_for_shared_memory(MPI_Info handle) {
  const std::shared_ptr<Info> info = find_info(handle);
  return info && info->get("mpi_hw_resource_type") == "mpi_shared_memory";
}

bool is_on_one_node(const Communicator& communicator) {
  const World& world = runtime().job().world();
  return std::ranges::all_of(communicator.group()->world_ranks(), [&](int rank) {
    return world.on_this_node[static_cast<std::size_t>(rank)];
  });
}

// MPI_UNDEFINED, which results in MPI_COMM_NULL, if the kind and its hints name nothing that is
// known here.
int color_of_kind(const Communicator& communicator, int kind, MPI_Info info) {
  bool known = kind == MPI_COMM_TYPE_SHARED;
  // each part must be smaller than the whole
  if (kind == MPI_COMM_TYPE_HW_UNGUIDED) known = !is_on_one_node(communicator);
  if (kind == MPI_COMM_TYPE_HW_GUIDED || kind == MPI_COMM_TYPE_RESOURCE_GUIDED)
    known = asks_for_shared_memory(info);
  return known ? first_on_this_node(communicator) : MPI_UNDEFINED;
}

int find_subgroup(const Communicator& communicator, MPI_Group handle, GroupRef* group) {
  *group = find_group(handle);
  if (!*group) return MPI_ERR_GROUP;
  for (const int rank : (*group)->world_ranks()) {
    if (!communicator.group()->position_of(rank)) return MPI_ERR_GROUP;
  }
  return MPI_SUCCESS;
}

int free_communicator(MPI_Comm* comm, const CommunicatorRef& communicator) {
  if (communicator == runtime().world() || communicator == runtime().self()) return MPI_ERR_COMM;
  // Persistent sends on it may be started later. They then find no room, instead of memory that
  // belongs to the program again.
  void* memory = nullptr;
  std::int64_t size = 0;
  communicator->send_buffer().detach(runtime().messenger(), &memory, &size);
  if (const int error = communicator->attributes().remove_all(communicator->handle());
      error != MPI_SUCCESS)
    return error;
  if (!runtime().communicators.remove(communicator->handle())) return MPI_ERR_COMM;
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

// All messages on it have been received when all members have called this (clause 11.10.4), so
// there is nothing else to wait for.
int disconnect(MPI_Comm* comm, const CommunicatorRef& communicator) {
  if (communicator == runtime().world() || communicator == runtime().self()) return MPI_ERR_COMM;
  if (const int error = Team(communicator).barrier(); error != MPI_SUCCESS) return error;
  return free_communicator(comm, communicator);
}

}  // namespace

extern "C" {

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return communicator_call("MPI_Comm_dup", comm, [=](const CommunicatorRef& parent) {
    return duplicate(parent, MPI_INFO_NULL, newcomm);
  });
}
LINTEL_MPI_NAME(MPI_Comm_dup);

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return communicator_call("MPI_Comm_dup_with_info", comm, [=](const CommunicatorRef& parent) {
    return duplicate(parent, info, newcomm);
  });
}
LINTEL_MPI_NAME(MPI_Comm_dup_with_info);

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return communicator_call("MPI_Comm_idup", comm, [=](const CommunicatorRef& parent) {
    return begin_duplicate(parent, MPI_INFO_NULL, newcomm, request);
  });
}
LINTEL_MPI_NAME(MPI_Comm_idup);

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                             MPI_Request* request) {
  return communicator_call("MPI_Comm_idup_with_info", comm, [=](const CommunicatorRef& parent) {
    return begin_duplicate(parent, info, newcomm, request);
  });
}
LINTEL_MPI_NAME(MPI_Comm_idup_with_info);

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return communicator_call("MPI_Comm_split", comm, [=](const CommunicatorRef& parent) -> int {
    if (newcomm == nullptr || (color < 0 && color != MPI_UNDEFINED)) return MPI_ERR_ARG;
    return split(parent, color, key, newcomm);
  });
}
LINTEL_MPI_NAME(MPI_Comm_split);

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return communicator_call("MPI_Comm_split_type", comm, [=](const CommunicatorRef& parent) -> int {
    if (newcomm == nullptr || !is_split_kind(split_type)) return MPI_ERR_ARG;
    if (const int error = check_hints(info); error != MPI_SUCCESS) return error;
    return split(parent, color_of_kind(*parent, split_type, info), key, newcomm);
  });
}
LINTEL_MPI_NAME(MPI_Comm_split_type);

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return communicator_call("MPI_Comm_create", comm, [=](const CommunicatorRef& parent) -> int {
    if (newcomm == nullptr) return MPI_ERR_ARG;
    GroupRef members;
    if (const int error = find_subgroup(*parent, group, &members); error != MPI_SUCCESS)
      return error;
    return make_communicator(Team(parent), parent, members, AttributeCopying::kNone, newcomm);
  });
}
LINTEL_MPI_NAME(MPI_Comm_create);

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return communicator_call(
      "MPI_Comm_create_group", comm, [=](const CommunicatorRef& parent) -> int {
        if (newcomm == nullptr) return MPI_ERR_ARG;
        if (tag < 0) return MPI_ERR_TAG;
        GroupRef members;
        if (const int error = find_subgroup(*parent, group, &members); error != MPI_SUCCESS)
          return error;
        const auto rank = members->position_of(runtime().world()->rank());
        if (!rank) {
          *newcomm = MPI_COMM_NULL;
          return MPI_SUCCESS;
        }
        // Tags of collective functions are negative. The highest is that of whole communicators.
        const int internal_tag = Team::kCollectiveTag - 1 - tag % (1 << 30);
        return make_communicator(Team(parent, *members, *rank, internal_tag), parent, members,
                                 AttributeCopying::kNone, newcomm);
      });
}
LINTEL_MPI_NAME(MPI_Comm_create_group);

int PMPI_Comm_free(MPI_Comm* comm) {
  return communicator_call(
      "MPI_Comm_free", comm != nullptr ? *comm : MPI_COMM_NULL,
      [=](const CommunicatorRef& communicator) { return free_communicator(comm, communicator); });
}
LINTEL_MPI_NAME(MPI_Comm_free);

int PMPI_Comm_disconnect(MPI_Comm* comm) {
  return communicator_call(
      "MPI_Comm_disconnect", comm != nullptr ? *comm : MPI_COMM_NULL,
      [=](const CommunicatorRef& communicator) { return disconnect(comm, communicator); });
}
LINTEL_MPI_NAME(MPI_Comm_disconnect);

}  // extern "C"

}  // namespace lintel::mpi
