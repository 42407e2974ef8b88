// Groups (MPI 5.0, clause 7.3).
#include <utility>
#include <vector>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/weak_name.h"

namespace lintel::mpi {

namespace {

int give_group(const GroupRef& group, MPI_Group* newgroup) {
  const MPI_Group handle = new_handle(group);
  if (handle == MPI_GROUP_NULL) return MPI_ERR_NO_MEM;
  *newgroup = handle;
  return MPI_SUCCESS;
}

template <class Combine>
int combine_groups(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Combine combine) {
  const GroupRef one = find_group(group1);
  const GroupRef other = find_group(group2);
  if (!one || !other) return MPI_ERR_GROUP;
  if (newgroup == nullptr) return MPI_ERR_ARG;
  return give_group(combine(*one, *other), newgroup);
}

// A negative count of ranks or ranges is MPI_ERR_ARG. MPI_ERR_COUNT is for messages.
int check_group(const GroupRef& group, int n, const void* array, const void* result) {
  if (!group) return MPI_ERR_GROUP;
  return n < 0 || (n > 0 && array == nullptr) || result == nullptr ? MPI_ERR_ARG : MPI_SUCCESS;
}

int choose(MPI_Group group, int n, const int* ranks, bool included, MPI_Group* newgroup) {
  const GroupRef old = find_group(group);
  if (const int error = check_group(old, n, ranks, newgroup); error != MPI_SUCCESS) return error;
  const GroupRef chosen =
      included ? old->including(array(ranks, n)) : old->excluding(array(ranks, n));
  return chosen ? give_group(chosen, newgroup) : MPI_ERR_RANK;
}

int choose_ranges(MPI_Group group, int n, const int (*ranges)[3], bool included,
                  MPI_Group* newgroup) {
  const GroupRef old = find_group(group);
  if (const int error = check_group(old, n, ranges, newgroup); error != MPI_SUCCESS) return error;
  std::vector<RankRange> wanted;
  for (int i = 0; i < n; ++i) {
    if (ranges[i][2] == 0) return MPI_ERR_ARG;
    wanted.push_back({ranges[i][0], ranges[i][1], ranges[i][2]});
  }
  const auto positions = old->positions_in(wanted);
  if (!positions) return MPI_ERR_RANK;
  return give_group(included ? old->including(*positions) : old->excluding(*positions), newgroup);
}

int translate(MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2) {
  const GroupRef from = find_group(group1);
  const GroupRef to = find_group(group2);
  if (!from || !to) return MPI_ERR_GROUP;
  if (n < 0 || (n > 0 && (ranks1 == nullptr || ranks2 == nullptr))) return MPI_ERR_ARG;
  for (const int rank : array(ranks1, n)) {
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= from->size())) return MPI_ERR_RANK;
  }
  for (int i = 0; i < n; ++i) {
    ranks2[i] = ranks1[i] == MPI_PROC_NULL
                    ? MPI_PROC_NULL
                    : to->position_of(from->world_rank(ranks1[i])).value_or(MPI_UNDEFINED);
  }
  return MPI_SUCCESS;
}

int compare(MPI_Group group1, MPI_Group group2, int* result) {
  const GroupRef one = find_group(group1);
  const GroupRef other = find_group(group2);
  if (!one || !other) return MPI_ERR_GROUP;
  if (result == nullptr) return MPI_ERR_ARG;
  *result = one->is_identical(*other) ? MPI_IDENT
            : one->is_similar(*other) ? MPI_SIMILAR
                                      : MPI_UNEQUAL;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Group_size(MPI_Group group, int* size) {
  return mpi_call("MPI_Group_size", ObjectKind::kGroup, [=]() -> int {
    const GroupRef members = find_group(group);
    if (!members) return MPI_ERR_GROUP;
    if (size == nullptr) return MPI_ERR_ARG;
    *size = members->size();
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Group_size);

int PMPI_Group_rank(MPI_Group group, int* rank) {
  return mpi_call("MPI_Group_rank", ObjectKind::kGroup, [=]() -> int {
    const GroupRef members = find_group(group);
    if (!members) return MPI_ERR_GROUP;
    if (rank == nullptr) return MPI_ERR_ARG;
    *rank = members->position_of(local_objects().world_rank.load(std::memory_order_relaxed))
                .value_or(MPI_UNDEFINED);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Group_rank);

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[]) {
  return mpi_call("MPI_Group_translate_ranks", ObjectKind::kGroup,
                  [=] { return translate(group1, n, ranks1, group2, ranks2); });
}
LINTEL_MPI_NAME(MPI_Group_translate_ranks);

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  return mpi_call("MPI_Group_compare", ObjectKind::kGroup,
                  [=] { return compare(group1, group2, result); });
}
LINTEL_MPI_NAME(MPI_Group_compare);

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return mpi_call("MPI_Group_union", ObjectKind::kGroup, [=] {
    return combine_groups(group1, group2, newgroup, [](const Group& one, const Group& other) {
      return one.united_with(other);
    });
  });
}
LINTEL_MPI_NAME(MPI_Group_union);

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return mpi_call("MPI_Group_intersection", ObjectKind::kGroup, [=] {
    return combine_groups(group1, group2, newgroup, [](const Group& one, const Group& other) {
      return one.intersected_with(other);
    });
  });
}
LINTEL_MPI_NAME(MPI_Group_intersection);

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return mpi_call("MPI_Group_difference", ObjectKind::kGroup, [=] {
    return combine_groups(group1, group2, newgroup,
                          [](const Group& one, const Group& other) { return one.without(other); });
  });
}
LINTEL_MPI_NAME(MPI_Group_difference);

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return mpi_call("MPI_Group_incl", ObjectKind::kGroup,
                  [=] { return choose(group, n, ranks, true, newgroup); });
}
LINTEL_MPI_NAME(MPI_Group_incl);

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return mpi_call("MPI_Group_excl", ObjectKind::kGroup,
                  [=] { return choose(group, n, ranks, false, newgroup); });
}
LINTEL_MPI_NAME(MPI_Group_excl);

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return mpi_call("MPI_Group_range_incl", ObjectKind::kGroup,
                  [=] { return choose_ranges(group, n, ranges, true, newgroup); });
}
LINTEL_MPI_NAME(MPI_Group_range_incl);

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return mpi_call("MPI_Group_range_excl", ObjectKind::kGroup,
                  [=] { return choose_ranges(group, n, ranges, false, newgroup); });
}
LINTEL_MPI_NAME(MPI_Group_range_excl);

int PMPI_Group_free(MPI_Group* group) {
  return mpi_call("MPI_Group_free", ObjectKind::kGroup, [=]() -> int {
    if (group == nullptr) return MPI_ERR_ARG;
    if (*group != MPI_GROUP_EMPTY && !local_objects().groups.remove(number_of(*group)))
      return MPI_ERR_GROUP;
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Group_free);

}  // extern "C"

}  // namespace lintel::mpi
