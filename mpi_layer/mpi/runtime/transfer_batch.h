#pragma once
// TransferBatch: transfers of one rank of a team that are under way at the same time, as those of a
// root that exchanges messages with all others.
//
// Used within one function of the calling thread. All its transfers have ended when it is
// destroyed.

#include <deque>

#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

class TransferBatch {
 public:
  explicit TransferBatch(const Team& team) : team_(team) {}
  TransferBatch(const TransferBatch&) = delete;
  TransferBatch& operator=(const TransferBatch&) = delete;
  ~TransferBatch() { finish(); }

  // They begin a transfer. Return its error, which finish() returns too.
  int send(int to, const ItemBuffer& items) {
    return note(team_.begin_send(to, items, transfers_.emplace_back()));
  }
  int receive(int from, const ItemBuffer& items) {
    return note(team_.begin_receive(from, items, transfers_.emplace_back()));
  }
  // Blocks until all have ended. Returns the first error.
  int finish() {
    for (; !transfers_.empty(); transfers_.pop_front()) note(Team::end_of(transfers_.front()));
    return error_;
  }

 private:
  int note(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
    return error;
  }

  const Team& team_;
  std::deque<ItemTransfer> transfers_;
  int error_ = MPI_SUCCESS;
};

}  // namespace lintel::mpi
