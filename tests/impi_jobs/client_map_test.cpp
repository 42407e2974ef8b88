#include <gmock/gmock.h>

#include "mpi_layer/mpi/runtime/client_map.h"

namespace lintel::mpi {
namespace {

using ::testing::ElementsAre;

// Processes 0 to 2 belong to client 0, 3 and 4 to client 1, 5 to 7 to client 2, which has two
// hosts: four hosts in all.
ClientMap three_clients() {
  return {.clients = {0, 0, 0, 1, 1, 2, 2, 2}, .hosts = {0, 0, 0, 1, 1, 2, 2, 3}};
}

GroupClients in_world(int rank) { return {three_clients(), Group({0, 1, 2, 3, 4, 5, 6, 7}), rank}; }

// Positions in the group: 0 and 3 belong to client 2, 1 and 4 to client 0, 2 to client 1.
GroupClients in_mixed_group(int rank) { return {three_clients(), Group({6, 2, 3, 5, 0}), rank}; }

TEST(ClientMap, IsAbsentInAJobThatIsNoClient) { EXPECT_EQ(client_map(), nullptr); }

TEST(GroupClients, EachClientsMasterIsItsLowestRank) {
  EXPECT_THAT(in_world(4).masters(), ElementsAre(0, 3, 5));
  EXPECT_THAT(in_mixed_group(0).masters(), ElementsAre(0, 1, 2));
}

TEST(GroupClients, MastersAreNumberedInTheOrderOfTheirRanksAndRank0IsTheFirst) {
  const GroupClients world = in_world(7);
  EXPECT_EQ(world.num_masters(), 3);
  for (const int number : {0, 1, 2}) EXPECT_EQ(world.master_num(world.master_rank(number)), number);
  EXPECT_EQ(world.master_rank(0), 0);
}

TEST(GroupClients, ARankThatIsNoMasterHasNoNumber) {
  EXPECT_EQ(in_world(0).master_num(4), -1);
  EXPECT_FALSE(in_world(0).is_master(4));
  EXPECT_TRUE(in_world(0).is_master(5));
}

TEST(GroupClients, EveryRankHasTheMasterOfItsClient) {
  std::vector<int> masters;
  std::vector<int> numbers;
  for (int rank = 0; rank < 8; ++rank) {
    masters.push_back(in_world(0).local_master_rank(rank));
    numbers.push_back(in_world(0).local_master_num(rank));
  }
  EXPECT_THAT(masters, ElementsAre(0, 0, 0, 3, 3, 5, 5, 5));
  EXPECT_THAT(numbers, ElementsAre(0, 0, 0, 1, 1, 2, 2, 2));
}

TEST(GroupClients, RanksAreLocalToEachOtherWithinAClientOnly) {
  EXPECT_TRUE(in_world(0).are_local(5, 7));
  EXPECT_FALSE(in_world(0).are_local(4, 5));
  EXPECT_TRUE(in_mixed_group(0).are_local(0, 3));
  EXPECT_FALSE(in_mixed_group(0).are_local(0, 1));
}

TEST(GroupClients, TheLocalGroupIsThisClientsPartInTheSameOrder) {
  EXPECT_THAT(in_world(6).local_group().world_ranks(), ElementsAre(5, 6, 7));
  EXPECT_EQ(in_world(6).local_rank(6), 1);
  EXPECT_THAT(in_mixed_group(3).local_group().world_ranks(), ElementsAre(6, 5));
  EXPECT_EQ(in_mixed_group(3).local_rank(3), 1);
  EXPECT_EQ(in_mixed_group(3).local_rank(0), 0);
}

TEST(GroupClients, AGroupInOneClientHasOneMaster) {
  const GroupClients alone(three_clients(), Group({4, 3}), 1);
  EXPECT_THAT(alone.masters(), ElementsAre(0));
  EXPECT_EQ(alone.attributes().client_size, 1);
  EXPECT_EQ(alone.attributes().client_color, 0);
}

TEST(GroupClients, SizesCountTheClientsAndHostsOfTheGroup) {
  EXPECT_EQ(in_world(0).attributes().client_size, 3);
  EXPECT_EQ(in_world(0).attributes().host_size, 4);
  const GroupClients some(three_clients(), Group({1, 5, 7}), 0);
  EXPECT_EQ(some.attributes().client_size, 2);
  EXPECT_EQ(some.attributes().host_size, 3);
}

TEST(GroupClients, ColorsAreTheSameInOneClientOrHostOnlyAndBelowTheSizes) {
  std::vector<int> clients;
  std::vector<int> hosts;
  for (int rank = 0; rank < 8; ++rank) {
    clients.push_back(in_world(rank).attributes().client_color);
    hosts.push_back(in_world(rank).attributes().host_color);
  }
  EXPECT_THAT(clients, ElementsAre(0, 0, 0, 1, 1, 2, 2, 2));
  EXPECT_THAT(hosts, ElementsAre(0, 0, 0, 1, 1, 2, 2, 3));
}

// As LAM/MPI 7.1.4 gave it to its processes behind a client of two hosts: color 1 of the clients, 2
// of the hosts.
TEST(GroupClients, AHostBehindAClientOfTwoHostsHasTheThirdColor) {
  const ClientMap map{.clients = {0, 0, 0, 1, 1}, .hosts = {0, 1, 1, 2, 2}};
  const GroupClients clients(map, Group({0, 1, 2, 3, 4}), 3);
  EXPECT_EQ(clients.attributes().client_color, 1);
  EXPECT_EQ(clients.attributes().host_color, 2);
}

TEST(GroupClients, ReductionsGoAmongMessagesWithProcessesOfNamedClientsOnly) {
  ClientMap map = three_clients();
  map.reducing_among_messages = {1};
  const GroupClients clients(map, Group({0, 1, 2, 3, 4, 5, 6, 7}), 0);
  EXPECT_FALSE(clients.reduces_among_messages(2));
  EXPECT_TRUE(clients.reduces_among_messages(4));
  EXPECT_FALSE(clients.reduces_among_messages(5));
}

}  // namespace
}  // namespace lintel::mpi
