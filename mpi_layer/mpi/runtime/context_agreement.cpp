// Each member proposes its lowest free number. Usually the proposals are equal, and agreed.
// Otherwise all members try to reserve the greatest proposal. If some cannot, because a concurrent
// agreement was faster, all release it and continue behind it. Two concurrent agreements could
// block each other for ever if both used the same steps. Therefore each uses random steps.
#include "mpi_layer/mpi/runtime/context_agreement.h"

#include <algorithm>
#include <atomic>

#include "mpi.h"

namespace lintel::mpi {

namespace {

// The random distance to the next attempt, behind a number that could not be reserved.
std::uint32_t draw_step() {
  constexpr std::uint32_t kMostSteps = 64;
  static std::atomic<std::uint32_t> draws{0};
  return 1 + draws.fetch_add(1) * 7 % kMostSteps;
}

int compare(const Team& team, const ContextProposal& own, ProposedContexts* proposed) {
  const std::int64_t number = own.number();
  std::int64_t bounds[] = {-number, number};
  const int error = team.maximum(bounds);
  *proposed = {static_cast<std::uint32_t>(-bounds[0]), static_cast<std::uint32_t>(bounds[1])};
  return error;
}

// Tries to reserve the highest number in place of the own one. `*taken`: whether all members could.
int take_highest(const Team& team, ContextProposal& own, std::uint32_t highest, bool* taken) {
  std::int64_t failed[] = {own.number() == highest || own.propose(highest) ? 0 : 1};
  const int error = team.maximum(failed);
  *taken = failed[0] == 0;
  return error;
}

}  // namespace

void ContextProposal::give_back() {
  if (number_ < ContextTable::kEnd) context_table().give_back(keep());
}

void ContextProposal::propose_from(std::uint32_t least) {
  give_back();
  number_ = context_table().take_first_free(least);
}

bool ContextProposal::propose(std::uint32_t other) {
  give_back();
  if (!context_table().take(other)) return false;
  number_ = other;
  return true;
}

int agree_on_context(const Team& team, ContextProposal& own, ProposedContexts proposed,
                     std::uint32_t* number) {
  for (;;) {
    if (proposed.highest >= ContextTable::kEnd) return MPI_ERR_NO_MEM;
    bool agreed = proposed.lowest == proposed.highest;
    if (!agreed) {
      if (const int error = take_highest(team, own, proposed.highest, &agreed);
          error != MPI_SUCCESS)
        return error;
    }
    if (agreed) {
      *number = own.keep();
      return MPI_SUCCESS;
    }
    own.propose_from(std::min(proposed.highest + draw_step(), ContextTable::kEnd));
    if (const int error = compare(team, own, &proposed); error != MPI_SUCCESS) return error;
  }
}

int agree_on_context(const Team& team, std::uint32_t* number) {
  ContextProposal own;
  ProposedContexts proposed;
  if (const int error = compare(team, own, &proposed); error != MPI_SUCCESS) return error;
  return agree_on_context(team, own, proposed, number);
}

}  // namespace lintel::mpi
