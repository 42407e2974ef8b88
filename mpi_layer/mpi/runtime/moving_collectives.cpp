#include "mpi_layer/mpi/runtime/moving_collectives.h"

#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

int gather(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts) {
  if (team.rank() != root) return team.send(root, *own);
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank == root && !own) continue;
    const int error = rank == root ? copy_items(*own, parts.at(rank)) : team.receive(rank, parts.at(rank));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int scatter(const Team& team, int root, const Parts& parts, const std::optional<ItemBuffer>& own) {
  if (team.rank() != root) return team.receive(root, *own);
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank == root && !own) continue;
    const int error = rank == root ? copy_items(parts.at(rank), *own) : team.send(rank, parts.at(rank));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int gather_to_all(const Team& team, const Parts& parts) {
  const int size = team.size();
  const int next = (team.rank() + 1) % size;
  const int previous = (team.rank() - 1 + size) % size;
  for (int step = 0; step + 1 < size; ++step) {
    const int error =
        team.exchange(next, parts.at((team.rank() - step + size) % size), previous, parts.at((team.rank() - step - 1 + size) % size));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int all_to_all(const Team& team, const Parts& out, const Parts& in) {
  if (const int error = copy_items(out.at(team.rank()), in.at(team.rank())); error != MPI_SUCCESS) return error;
  for (int step = 1; step < team.size(); ++step) {
    const int to = (team.rank() + step) % team.size();
    const int from = (team.rank() - step + team.size()) % team.size();
    if (const int error = team.exchange(to, out.at(to), from, in.at(from)); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int all_to_all_in_place(const Team& team, const Parts& parts) {
  const DatatypeRef byte = find_datatype(MPI_BYTE);
  for (int step = 0; step < team.size(); ++step) {
    // Both find each other: their ranks have the sum `step`.
    const int peer = (step - team.rank() + team.size()) % team.size();
    if (peer == team.rank()) continue;
    const ItemBuffer part = parts.at(peer);
    std::vector<std::byte> copy(static_cast<std::size_t>(part.bytes()));
    if (!copy.empty()) pack(part.items(), 0, copy);
    const ItemBuffer out{byte, number_of(copy.data()), part.bytes()};
    if (const int error = team.exchange(peer, out, peer, part); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
