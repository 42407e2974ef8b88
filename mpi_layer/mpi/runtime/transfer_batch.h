#pragma once
// TransferBatch: transfers of one rank of a team that are under way at the same time, for a root
// that exchanges messages with all others.
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

  // They begin a transfer; finish() returns an error.
  void send(int to, const ItemBuffer& items) {
    note(team_.begin_send(to, items, transfers_.emplace_back()));
  }
  void receive(int from, const ItemBuffer& items) {
    note(team_.begin_receive(from, items, transfers_.emplace_back()));
  }
  // Blocks until all have ended. Returns the first error.
  int finish() {
    for (; !transfers_.empty(); transfers_.pop_front()) note(Team::end_of(transfers_.front()));
    return error_;
  }

 private:
  void note(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }

  const Team& team_;
  std::deque<ItemTransfer> transfers_;
  int error_ = MPI_SUCCESS;
};

}  // namespace lintel::mpi
