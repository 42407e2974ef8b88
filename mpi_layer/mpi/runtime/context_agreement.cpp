// Members propose their lowest free number and try to take the greatest of these. Where some cannot, because another agreement of theirs has been faster,
// all give it back and go on behind it. Two agreements that hinder each other do so for ever only if they step alike, so each draws its steps.
#include "mpi_layer/mpi/runtime/context_agreement.h"

#include <algorithm>
#include <atomic>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/context_table.h"

namespace lintel::mpi {

int agree_on_context(const Team& team, std::uint32_t* number) {
  constexpr std::uint32_t kMostSteps = 64;
  static std::atomic<std::uint32_t> draws{0};
  std::uint32_t from = ContextTable::kSelf + 1;
  for (;;) {
    std::int64_t proposal[] = {context_table().first_free(from)};
    if (const int error = team.maximum(proposal); error != MPI_SUCCESS) return error;
    if (proposal[0] >= ContextTable::kEnd) return MPI_ERR_NO_MEM;
    const auto candidate = static_cast<std::uint32_t>(proposal[0]);
    const bool taken = context_table().take(candidate);
    std::int64_t failed[] = {taken ? 0 : 1};
    const int error = team.maximum(failed);
    if (error == MPI_SUCCESS && failed[0] == 0) {
      *number = candidate;
      return MPI_SUCCESS;
    }
    if (taken) context_table().give_back(candidate);
    if (error != MPI_SUCCESS) return error;
    from = std::min(candidate + 1 + draws.fetch_add(1) * 7 % kMostSteps, ContextTable::kEnd);
  }
}

}  // namespace lintel::mpi
