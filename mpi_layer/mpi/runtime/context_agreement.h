#pragma once
// How the members of a new communicator agree on its contexts.

#include <cstdint>
#include <utility>

#include "mpi_layer/mpi/runtime/context_table.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// The number that this process proposes, taken while it does; at first the lowest that is free.
// Given back at the end unless it has been kept.
class ContextProposal {
 public:
  ContextProposal() { propose_from(ContextTable::kSelf + 1); }
  ContextProposal(const ContextProposal&) = delete;
  ContextProposal& operator=(const ContextProposal&) = delete;
  ~ContextProposal() { give_back(); }

  // kEnd: there is none.
  std::uint32_t number() const { return number_; }
  // In place of the number, the lowest that is free from `least` on.
  void propose_from(std::uint32_t least);
  // In place of the number, that one. False if it is not free: then none is proposed. REQUIRES:
  // other < kEnd.
  bool propose(std::uint32_t other);
  // The number, which is the caller's from now on.
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

// A number that is free in all members, taken in each of them; `*number` of the ContextTable.
// Collective over the team; blocks. Members of disjoint communicators that are made by one call
// share it.
// Several threads may agree at once, on different communicators and in any order: nobody holds a
// lock while waiting for others. Errors: MPI_ERR_NO_MEM, in all members alike, if there is none;
// those of the transfers.
int agree_on_context(const Team& team, std::uint32_t* number);

// The same for members that have told each other their proposals already, along with something
// else: where these are the same, as they mostly are, no message is sent. `own` is what this
// process has proposed.
int agree_on_context(const Team& team, ContextProposal& own, ProposedContexts proposed,
                     std::uint32_t* number);

}  // namespace lintel::mpi
