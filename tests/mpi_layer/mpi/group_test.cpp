// Groups compared with vectors and sets (MPI 5.0, clause 7.3).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {
namespace {

MPI_Group group_of(const std::vector<int>& world_ranks) {
  return new_handle(std::make_shared<const Group>(world_ranks));
}

std::vector<int> members_of(MPI_Group group) {
  const auto ranks = find_group(group)->world_ranks();
  return {ranks.begin(), ranks.end()};
}

std::vector<int> random_members(std::mt19937& random, int world) {
  std::vector<int> all(static_cast<std::size_t>(world));
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(random() % all.size());
  return all;
}

void free_group(MPI_Group group) { EXPECT_EQ(MPI_Group_free(&group), MPI_SUCCESS); }

TEST(Group, SetOperationsKeepTheOrderOfTheStandard) {
  std::mt19937 random(1);
  for (int attempt = 0; attempt < 200; ++attempt) {
    const std::vector<int> one = random_members(random, 30);
    const std::vector<int> other = random_members(random, 30);
    const std::set<int> in_one(one.begin(), one.end());
    const std::set<int> in_other(other.begin(), other.end());
    std::vector<int> both = one;
    std::copy_if(other.begin(), other.end(), std::back_inserter(both),
                 [&](int rank) { return !in_one.contains(rank); });
    std::vector<int> common;
    std::copy_if(one.begin(), one.end(), std::back_inserter(common),
                 [&](int rank) { return in_other.contains(rank); });
    std::vector<int> rest;
    std::copy_if(one.begin(), one.end(), std::back_inserter(rest),
                 [&](int rank) { return !in_other.contains(rank); });

    const MPI_Group a = group_of(one);
    const MPI_Group b = group_of(other);
    MPI_Group made = MPI_GROUP_NULL;
    ASSERT_EQ(MPI_Group_union(a, b, &made), MPI_SUCCESS);
    EXPECT_EQ(members_of(made), both);
    free_group(made);
    ASSERT_EQ(MPI_Group_intersection(a, b, &made), MPI_SUCCESS);
    EXPECT_EQ(members_of(made), common);
    EXPECT_EQ(made == MPI_GROUP_EMPTY, common.empty());
    free_group(made);
    ASSERT_EQ(MPI_Group_difference(a, b, &made), MPI_SUCCESS);
    EXPECT_EQ(members_of(made), rest);
    free_group(made);

    int result = -1;
    ASSERT_EQ(MPI_Group_compare(a, b, &result), MPI_SUCCESS);
    EXPECT_EQ(result, one == other ? MPI_IDENT : in_one == in_other ? MPI_SIMILAR : MPI_UNEQUAL);
    free_group(a);
    free_group(b);
  }
}

TEST(Group, ComparisonKnowsTheOrder) {
  const MPI_Group group = group_of({4, 7, 9});
  const MPI_Group same = group_of({4, 7, 9});
  const MPI_Group turned = group_of({9, 7, 4});
  const MPI_Group other = group_of({4, 7, 8});
  int result = -1;
  ASSERT_EQ(MPI_Group_compare(group, same, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_IDENT);
  ASSERT_EQ(MPI_Group_compare(group, turned, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_SIMILAR);
  ASSERT_EQ(MPI_Group_compare(group, other, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_UNEQUAL);
  ASSERT_EQ(MPI_Group_compare(MPI_GROUP_EMPTY, group, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_UNEQUAL);
  for (const MPI_Group each : {group, same, turned, other}) free_group(each);
}

TEST(Group, InclAndExclChooseByRank) {
  std::mt19937 random(2);
  for (int attempt = 0; attempt < 200; ++attempt) {
    const std::vector<int> members = random_members(random, 40);
    const MPI_Group group = group_of(members);
    std::vector<int> ranks(members.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::shuffle(ranks.begin(), ranks.end(), random);
    ranks.resize(random() % (ranks.size() + 1));
    std::vector<int> included;
    for (const int rank : ranks) included.push_back(members[static_cast<std::size_t>(rank)]);
    std::vector<int> excluded;
    for (const int member : members) {
      if (std::find(included.begin(), included.end(), member) == included.end())
        excluded.push_back(member);
    }
    MPI_Group made = MPI_GROUP_NULL;
    ASSERT_EQ(MPI_Group_incl(group, static_cast<int>(ranks.size()), ranks.data(), &made),
              MPI_SUCCESS);
    EXPECT_EQ(members_of(made), included);
    free_group(made);
    ASSERT_EQ(MPI_Group_excl(group, static_cast<int>(ranks.size()), ranks.data(), &made),
              MPI_SUCCESS);
    EXPECT_EQ(members_of(made), excluded);
    free_group(made);
    free_group(group);
  }
}

TEST(Group, RangesStandForTheirRanks) {
  std::vector<int> members(20);
  std::iota(members.begin(), members.end(), 100);
  const MPI_Group group = group_of(members);
  int ranges[3][3] = {{1, 9, 4}, {19, 15, -2}, {0, 0, 1}};
  MPI_Group made = MPI_GROUP_NULL;
  ASSERT_EQ(MPI_Group_range_incl(group, 3, ranges, &made), MPI_SUCCESS);
  EXPECT_EQ(members_of(made), (std::vector<int>{101, 105, 109, 119, 117, 115, 100}));
  free_group(made);
  ASSERT_EQ(MPI_Group_range_excl(group, 3, ranges, &made), MPI_SUCCESS);
  EXPECT_EQ(members_of(made),
            (std::vector<int>{102, 103, 104, 106, 107, 108, 110, 111, 112, 113, 114, 116, 118}));
  free_group(made);

  made = MPI_GROUP_EMPTY;
  int stride_of_zero[1][3] = {{1, 9, 0}};
  EXPECT_EQ(MPI_Group_range_incl(group, 1, stride_of_zero, &made), MPI_ERR_ARG);
  int outside[1][3] = {{1, 20, 1}};
  EXPECT_EQ(MPI_Group_range_incl(group, 1, outside, &made), MPI_ERR_RANK);
  int meeting[2][3] = {{0, 4, 1}, {4, 6, 2}};
  EXPECT_EQ(MPI_Group_range_excl(group, 2, meeting, &made), MPI_ERR_RANK);
  int endless[1][3] = {{0, 2147483647, 1}};
  EXPECT_EQ(MPI_Group_range_incl(group, 1, endless, &made), MPI_ERR_RANK);
  int none[1][3] = {{5, 3, 1}};
  EXPECT_EQ(MPI_Group_range_incl(group, 1, none, &made), MPI_SUCCESS);
  EXPECT_EQ(made, MPI_GROUP_EMPTY);
  free_group(group);
}

TEST(Group, RanksTranslateByProcess) {
  const MPI_Group from = group_of({3, 5, 7, 9});
  const MPI_Group to = group_of({9, 3, 1});
  const int ranks[5] = {0, 1, MPI_PROC_NULL, 3, 0};
  int translated[5] = {};
  ASSERT_EQ(MPI_Group_translate_ranks(from, 5, ranks, to, translated), MPI_SUCCESS);
  EXPECT_EQ(std::vector<int>(translated, translated + 5),
            (std::vector<int>{1, MPI_UNDEFINED, MPI_PROC_NULL, 0, 1}));
  const int outside = 4;
  EXPECT_EQ(MPI_Group_translate_ranks(from, 1, &outside, to, translated), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_translate_ranks(from, -1, &outside, to, translated), MPI_ERR_ARG);
  EXPECT_EQ(translated[0], 1);
  free_group(from);
  free_group(to);
}

TEST(Group, OwnRankIsThePlaceOfThisProcess) {
  local_objects().world_rank = 7;
  const MPI_Group with = group_of({3, 5, 7});
  const MPI_Group without = group_of({3, 5});
  int rank = -1;
  ASSERT_EQ(MPI_Group_rank(with, &rank), MPI_SUCCESS);
  EXPECT_EQ(rank, 2);
  ASSERT_EQ(MPI_Group_rank(without, &rank), MPI_SUCCESS);
  EXPECT_EQ(rank, MPI_UNDEFINED);
  ASSERT_EQ(MPI_Group_rank(MPI_GROUP_EMPTY, &rank), MPI_SUCCESS);
  EXPECT_EQ(rank, MPI_UNDEFINED);
  local_objects().world_rank = 0;
  int size = -1;
  ASSERT_EQ(MPI_Group_size(with, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 3);
  ASSERT_EQ(MPI_Group_size(MPI_GROUP_EMPTY, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 0);
  free_group(with);
  free_group(without);
}

TEST(Group, WrongRanksAndCountsAreRefused) {
  const MPI_Group group = group_of({3, 5, 7});
  MPI_Group made = MPI_GROUP_NULL;
  const int twice[2] = {1, 1};
  const int outside[1] = {3};
  const int negative[1] = {-1};
  EXPECT_EQ(MPI_Group_incl(group, 2, twice, &made), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_excl(group, 2, twice, &made), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_incl(group, 1, outside, &made), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_excl(group, 1, negative, &made), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Group_incl(group, -1, twice, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Group_incl(group, 1, nullptr, &made), MPI_ERR_ARG);
  EXPECT_EQ(made, MPI_GROUP_NULL);
  free_group(group);
}

TEST(Group, ThousandsOfMembersAreFoundFast) {
  constexpr int kMembers = 50'000;
  std::vector<int> forward(kMembers);
  std::iota(forward.begin(), forward.end(), 0);
  const std::vector<int> backward(forward.rbegin(), forward.rend());
  const MPI_Group a = group_of(forward);
  const MPI_Group b = group_of(backward);
  std::vector<int> translated(kMembers);
  ASSERT_EQ(MPI_Group_translate_ranks(a, kMembers, forward.data(), b, translated.data()),
            MPI_SUCCESS);  // a search through all takes minutes
  EXPECT_EQ(translated, backward);
  free_group(a);
  free_group(b);
}

}  // namespace
}  // namespace lintel::mpi
