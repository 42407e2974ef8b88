#pragma once
// ClientMap: which client and which host of IMPI each process of the world belongs to, where
// several jobs have become one. GroupClients: what follows for a group of processes, in IMPI's own
// terms (master, local).
//
// The map is set once, by the thread that starts MPI, before others use the library; it is read by
// any thread. A job that is no client of IMPI has none: whoever asks finds that out by one
// comparison.
// GroupClients is a value that never changes; ranks are those of the group.
// Does not: know who talks to whom (impi_schedule.h).

#include <cstdint>
#include <span>
#include <vector>

#include "mpi_layer/mpi/objects/group.h"

namespace lintel::mpi {

struct ClientMap {
  // By world rank. A host belongs to one client.
  std::vector<int> clients = {};
  std::vector<int> hosts = {};
  // What all clients agree on, COLL_MAXLINEAR: up to so many masters talk with one of them
  // directly. (COLL_XSIZE is of algorithms that need not be IMPI's.)
  int max_linear = 4;
  // Clients whose MPI_Reduce sends and receives in the context of messages, where IMPI wants that
  // of collective functions, as LAM/MPI 7.1 does.
  std::vector<int> reducing_among_messages = {};
};

// REQUIRES: as many hosts as clients; no collective function is under way.
void set_client_map(ClientMap map);
// Null: this job is no client.
const ClientMap* client_map();

class GroupClients {
 public:
  // REQUIRES: the map has all processes of the group, which has this process as `rank`.
  GroupClients(const ClientMap& map, const Group& group, int rank);

  // ---- Masters. Each client that is in the group has one, which is its lowest rank there. They
  // are numbered in the order of their ranks, so the first is rank 0.
  int num_masters() const { return static_cast<int>(masters_.size()); }
  std::span<const int> masters() const { return masters_; }
  int master_rank(int number) const { return masters_[static_cast<std::size_t>(number)]; }
  // The number of the master that a rank is, -1 if it is none.
  int master_num(int rank) const { return is_master(rank) ? local_master_num(rank) : -1; }
  bool is_master(int rank) const { return local_master_rank(rank) == rank; }
  // The master of a rank's client.
  int local_master_num(int rank) const { return numbers_[static_cast<std::size_t>(rank)]; }
  int local_master_rank(int rank) const { return master_rank(local_master_num(rank)); }
  // Whether two ranks are of one client.
  bool are_local(int one, int other) const {
    return local_master_num(one) == local_master_num(other);
  }
  int max_linear() const { return max_linear_; }

  // ---- This process' client: its part of the group, in the same order, and a rank's position
  // there. REQUIRES: the rank is of this client.
  const Group& local_group() const { return *local_group_; }
  int local_rank(int rank) const { return local_ranks_[static_cast<std::size_t>(rank)]; }

  // Whether reductions with a rank go where its client expects them
  // (ClientMap::reducing_among_messages).
  bool reduces_among_messages(int rank) const {
    return among_messages_[static_cast<std::size_t>(local_master_num(rank))];
  }

  // ---- Attributes: how many clients or hosts the group has, and numbers from 0 on that are the
  // same for processes of one client or host only.
  struct Attributes {
    int client_size = 1;
    int client_color = 0;
    int host_size = 1;
    int host_color = 0;
  };
  const Attributes& attributes() const { return attributes_; }

 private:
  std::vector<int> numbers_;      // of each rank's master
  std::vector<int> masters_;      // ranks
  std::vector<int> local_ranks_;  // -1: of another client
  std::vector<bool> among_messages_;
  GroupRef local_group_;
  int max_linear_;
  Attributes attributes_;
};

}  // namespace lintel::mpi
