#include "mpi_layer/mpi/runtime/all_to_all.h"

#include <cstring>
#include <memory>

#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/packed_items.h"
#include "mpi_layer/mpi/runtime/transfer_batch.h"

namespace lintel::mpi {

namespace {

std::unique_ptr<std::byte[]> room_for(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

// Bruck's algorithm: part i is for the rank at distance i. There is a step for each bit. It sends
// all parts whose i has this bit, together, to the rank at the distance of the bit.
int exchange_by_bits(const Team& team, const Parts& out, const Parts& in) {
  const int size = team.size();
  const std::int64_t part = out.at(0).bytes();
  const auto parts = room_for(size * part);
  const auto leaving = room_for(size * part);
  const auto coming = room_for(size * part);
  const auto at = [&](int i) { return parts.get() + i * part; };
  for (int i = 0; i < size; ++i) {
    if (const int error = copy_items(out.at(team.ahead(i)), Team::bytes(at(i), part));
        error != MPI_SUCCESS)
      return error;
  }
  for (int bit = 1; bit < size; bit *= 2) {
    std::int64_t bytes = 0;
    const auto for_parts_with_bit = [&](auto move) {
      bytes = 0;
      for (int i = bit; i < size; ++i) {
        if ((i & bit) == 0) continue;
        if (part > 0) move(at(i), bytes);
        bytes += part;
      }
    };
    for_parts_with_bit([&](std::byte* place, std::int64_t offset) {
      std::memcpy(leaving.get() + offset, place, static_cast<std::size_t>(part));
    });
    const int error = team.exchange(team.ahead(bit), Team::bytes(leaving.get(), bytes),
                                    team.behind(bit), Team::bytes(coming.get(), bytes));
    if (error != MPI_SUCCESS) return error;
    for_parts_with_bit([&](std::byte* place, std::int64_t offset) {
      std::memcpy(place, coming.get() + offset, static_cast<std::size_t>(part));
    });
  }
  for (int i = 0; i < size; ++i) {
    if (const int error = copy_items(Team::bytes(at(i), part), in.at(team.behind(i)));
        error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

int exchange_at_once(const Team& team, const Parts& out, const Parts& in) {
  if (const int error = copy_items(out.at(team.rank()), in.at(team.rank())); error != MPI_SUCCESS)
    return error;
  TransferBatch transfers(team);
  for (int step = 1; step < team.size(); ++step) {
    const int from = team.behind(step);
    transfers.receive(from, in.at(from));
  }
  for (int step = 1; step < team.size(); ++step) {
    const int to = team.ahead(step);
    transfers.send(to, out.at(to));
  }
  return transfers.finish();
}

// In step k each rank sends to the rank k after it, and receives from the rank k before it.
int exchange_in_steps(const Team& team, const Parts& out, const Parts& in) {
  if (const int error = copy_items(out.at(team.rank()), in.at(team.rank())); error != MPI_SUCCESS)
    return error;
  for (int step = 1; step < team.size(); ++step) {
    const int to = team.ahead(step);
    const int from = team.behind(step);
    if (const int error = team.exchange(to, out.at(to), from, in.at(from)); error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

// In place: in each step two ranks exchange their parts for each other.
int exchange_in_place(const Team& team, const Parts& parts) {
  for (int step = 0; step < team.size(); ++step) {
    // The sum of the two ranks is `step`, modulo the size, so both compute each other.
    const int peer = (step - team.rank() + team.size()) % team.size();
    if (peer == team.rank()) continue;
    const ItemBuffer part = parts.at(peer);
    const ItemsCopy out(part);
    if (const int error = team.exchange(peer, out.items(), peer, part); error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

int all_to_all_various(const Team& team, const Parts& out, const Parts& in) {
  return &out == &in ? exchange_in_place(team, in) : exchange_in_steps(team, out, in);
}

int all_to_all(const Team& team, const Parts& out, const Parts& in) {
  const std::int64_t part = out.at(0).bytes();
  if (team.clients() == nullptr) {
    if (part < kLongExchange && team.size() >= kShortExchangeRanks)
      return exchange_by_bits(team, out, in);
    if (part < kPairedExchange && &out != &in) return exchange_at_once(team, out, in);
  }
  return all_to_all_various(team, out, in);
}

}  // namespace lintel::mpi
