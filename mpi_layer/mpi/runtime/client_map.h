#pragma once
// ClientMap: which client and which host of IMPI each process of the world belongs to, if several
// jobs have joined. GroupClients: what follows for a group of processes, in terms of IMPI (master,
// local).
//
// The map is set once, by the thread that starts MPI, before other threads use the library. Then
// any thread may read it. A job that is not a client of IMPI has no map, and callers find that out
// by one comparison.
// GroupClients is a value that never changes; ranks are those of the group.
// Does not: know which processes exchange messages (impi_schedule.h).

#include <cstdint>
#include <span>
#include <vector>

#include "mpi_layer/mpi/objects/group.h"

namespace lintel::mpi {

struct ClientMap {
  // By world rank. A host belongs to one client.
  std::vector<int> clients = {};
  std::vector<int> hosts = {};
  // The agreed value of COLL_MAXLINEAR: up to this number of masters, one of them exchanges
  // messages with all others directly. (COLL_XSIZE is not needed: it is for algorithms in which
  // Lintel is free.)
  int max_linear = 4;
  // Clients whose MPI_Reduce uses the context of point-to-point messages, as LAM/MPI 7.1 does. IMPI
  // specifies the context of collective functions.
  std::vector<int> reducing_among_messages = {};
};

// REQUIRES: as many hosts as clients; no collective function is under way.
void set_client_map(ClientMap map);
// Null: this job is not a client of IMPI.
const ClientMap* client_map();

class GroupClients {
 public:
  // REQUIRES: the map has all processes of the group. This process is `rank` of the group.
  GroupClients(const ClientMap& map, const Group& group, int rank);

  // ---- Masters. Each client in the group has one master, its lowest rank in the group. Masters
  // are numbered in the order of their ranks, so the first is rank 0.
  int num_masters() const { return static_cast<int>(masters_.size()); }
  std::span<const int> masters() const { return masters_; }
  int master_rank(int number) const { return masters_[static_cast<std::size_t>(number)]; }
  // The number of the master with this rank; -1 if the rank is not a master.
  int master_num(int rank) const { return is_master(rank) ? local_master_num(rank) : -1; }
  bool is_master(int rank) const { return local_master_rank(rank) == rank; }
  // The master of a rank's client.
  int local_master_num(int rank) const { return numbers_[static_cast<std::size_t>(rank)]; }
  int local_master_rank(int rank) const { return master_rank(local_master_num(rank)); }
  // True if two ranks belong to one client.
  bool are_local(int one, int other) const {
    return local_master_num(one) == local_master_num(other);
  }
  int max_linear() const { return max_linear_; }

  // ---- The client of this process: its part of the group, in the same order, and the position of
  // a rank there. REQUIRES: the rank belongs to this client.
  const Group& local_group() const { return *local_group_; }
  int local_rank(int rank) const { return local_ranks_[static_cast<std::size_t>(rank)]; }

  // True if reductions with this rank use the context of point-to-point messages
  // (ClientMap::reducing_among_messages).
  bool reduces_among_messages(int rank) const {
    return among_messages_[static_cast<std::size_t>(local_master_num(rank))];
  }

  // ---- Attributes: the number of clients and of hosts in the group, and numbers from 0 that
  // identify the client and the host of each process.
  struct ImpiAttributes {
    int client_size = 1;
    int client_color = 0;
    int host_size = 1;
    int host_color = 0;
  };
  const ImpiAttributes& attributes() const { return attributes_; }

 private:
  std::vector<int> numbers_;      // by rank: the number of its master
  std::vector<int> masters_;      // their ranks
  std::vector<int> local_ranks_;  // -1: it belongs to another client
  std::vector<bool> among_messages_;
  GroupRef local_group_;
  int max_linear_;
  ImpiAttributes attributes_;
};

}  // namespace lintel::mpi
