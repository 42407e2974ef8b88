#pragma once
// How the members of a new communicator agree on its contexts.

#include <cstdint>
#include <utility>

#include "mpi_layer/mpi/runtime/context_table.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// The number that this process proposes; at first the lowest free number. It is reserved meanwhile,
// and released at the end unless keep() was called.
class ContextProposal {
 public:
  ContextProposal() { propose_from(ContextTable::kSelf + 1); }
  ContextProposal(const ContextProposal&) = delete;
  ContextProposal& operator=(const ContextProposal&) = delete;
  ~ContextProposal() { give_back(); }

  // kEnd: there is no number.
  std::uint32_t number() const { return number_; }
  // Proposes the lowest free number from `least` on instead.
  void propose_from(std::uint32_t least);
  // Proposes `other` instead. False: it is not free, and no number is proposed. REQUIRES: other <
  // kEnd.
  bool propose(std::uint32_t other);
  // Returns the number, which stays reserved for the caller.
  std::uint32_t keep() { return std::exchange(number_, ContextTable::kEnd); }

 private:
  void give_back();

  std::uint32_t number_ = ContextTable::kEnd;
};

// The lowest and the highest number that members of a team propose.
struct ProposedContexts {
  std::uint32_t lowest = 0;
  std::uint32_t highest = 0;
};

// Reserves a number of the ContextTable that is free in all members: `*number`. Collective over the
// team; blocks. Disjoint communicators that one call makes share the number. Several threads may
// agree at the same time, on different communicators and in any order, because no lock is held
// while waiting. Errors: MPI_ERR_NO_MEM in all members if there is no such number; those of the
// transfers.
int agree_on_context(const Team& team, std::uint32_t* number);

// The same for members that have exchanged their proposals already, together with other data. If
// all proposals are equal, which is usual, no message is sent. `own` is the proposal of this
// process.
int agree_on_context(const Team& team, ContextProposal& own, ProposedContexts proposed,
                     std::uint32_t* number);

}  // namespace lintel::mpi
