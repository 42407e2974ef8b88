#include "mpi_layer/mpi/runtime/impi_collectives.h"

#include "mpi_layer/mpi/runtime/broadcast.h"
#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/impi_schedule.h"
#include "mpi_layer/mpi/runtime/reduce.h"

namespace lintel::mpi {

namespace {

// The tags of IMPI.
constexpr std::int32_t kBarrierTag = 110;
constexpr std::int32_t kBroadcastTag = 120;
constexpr std::int32_t kReduceTag = 190;

Masters masters_of(const GroupClients& clients) {
  return {clients.masters(), clients.max_linear()};
}
GlobalRoot global_root(const GroupClients& clients, int root) {
  return {root, clients.local_master_num(root)};
}

// The rank that represents the client of this process, if `root` represents its own client.
int head_of_client(const Team& team, int root) {
  const GroupClients& clients = *team.clients();
  return clients.are_local(team.rank(), root) ? root : clients.local_master_rank(team.rank());
}

// Runs each step by `send(peer)` or `receive(peer)`.
template <class Send, class Receive>
int go_through(const GlobalPhase& phase, Send send, Receive receive) {
  for (const GlobalStep& step : phase) {
    const int error =
        step.kind == GlobalStep::StepDirection::kSend ? send(step.peer) : receive(step.peer);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

// The teams whose contexts the messages of a reduction use, depending on the peer.
class ReductionTeams {
 public:
  explicit ReductionTeams(const Team& team)
      : clients_(*team.clients()),
        among_collectives_(team.between_clients(kReduceTag, Team::Traffic::kCollectives)),
        among_messages_(team.between_clients(kReduceTag, Team::Traffic::kMessages)) {}

  const Team& with(int peer) const {
    return clients_.reduces_among_messages(peer) ? among_messages_ : among_collectives_;
  }

 private:
  const GroupClients& clients_;
  Team among_collectives_;
  Team among_messages_;
};

// The result starts with the items of the last rank. The root combines it with those of the others
// on its left, in descending order of ranks.
int reduce_in_order(const Team& team, int root, Accumulator& items) {
  const ReductionTeams teams(team);
  if (team.rank() != root) return teams.with(root).send(root, items.own());
  const int last = team.size() - 1;
  const ItemBuffer own = items.own();
  const ReductionItems kept(own.type, own.count);
  if (root != last) {
    if (const int error = copy_items(own, kept.all()); error != MPI_SUCCESS) return error;
    if (const int error = teams.with(last).receive(last, own); error != MPI_SUCCESS) return error;
  }
  for (int rank = last - 1; rank >= 0; --rank) {
    const int error = rank == root ? copy_items(kept.all(), items.others())
                                   : teams.with(rank).receive(rank, items.others());
    if (error != MPI_SUCCESS) return error;
    items.put_before();
  }
  return MPI_SUCCESS;
}

}  // namespace

int barrier_between_clients(const Team& team) {
  const GroupClients& clients = *team.clients();
  const Team local = team.local();
  if (const int error = local.barrier(); error != MPI_SUCCESS) return error;
  if (clients.is_master(team.rank())) {
    const Team global = team.between_clients(kBarrierTag);
    const ItemBuffer nothing = Team::bytes(nullptr, 0);
    const int error = go_through(
        barrier_phase(masters_of(clients), clients.master_num(team.rank())),
        [&](int peer) { return global.send(peer, nothing); },
        [&](int peer) { return global.receive(peer, nothing); });
    if (error != MPI_SUCCESS) return error;
  }
  return local.barrier();
}

int broadcast_between_clients(const Team& team, int root, const ItemBuffer& items) {
  const GroupClients& clients = *team.clients();
  const int head = head_of_client(team, root);
  if (team.rank() == head) {
    const Team global = team.between_clients(kBroadcastTag);
    const int error = go_through(
        broadcast_phase(masters_of(clients), global_root(clients, root),
                        clients.local_master_num(head)),
        [&](int peer) { return global.send(peer, items); },
        [&](int peer) { return global.receive(peer, items); });
    if (error != MPI_SUCCESS) return error;
  }
  return broadcast(team.local(), clients.local_rank(head), items);
}

int reduce_between_clients(const Team& team, int root, Accumulator& items) {
  if (!items.commutes()) return reduce_in_order(team, root, items);
  const GroupClients& clients = *team.clients();
  const int head = head_of_client(team, root);
  if (const int error = reduce(team.local(), clients.local_rank(head), items);
      error != MPI_SUCCESS || team.rank() != head)
    return error;
  const ReductionTeams teams(team);
  return go_through(
      reduction_phase(masters_of(clients), global_root(clients, root),
                      clients.local_master_num(head)),
      [&](int peer) { return teams.with(peer).send(peer, items.own()); },
      [&](int peer) {
        const int error = teams.with(peer).receive(peer, items.others());
        if (error == MPI_SUCCESS) items.put_before();
        return error;
      });
}

int reduce_to_all_between_clients(const Team& team, Accumulator& items) {
  if (const int error = reduce_between_clients(team, 0, items); error != MPI_SUCCESS) return error;
  return broadcast_between_clients(team, 0, items.own());
}

}  // namespace lintel::mpi
