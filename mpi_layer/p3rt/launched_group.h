#pragma once
// LaunchedGroup: the group that the launcher of this process describes. The launcher gives rank and
// size at once, and the names and the secret of the job when all ranks have an interface.
//
// One per process, because the launcher can be asked only once. Its owner serialises calls.
// Does not: open interfaces.

#include <sys/types.h>

#include <memory>

#include "mpi_layer/bootstrap/business_card.h"
#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/p3rt/process_group.h"

namespace lintel::p3rt {

class LaunchedGroup {
 public:
  // Opens a launcher. Replaced by tests.
  using Open = mpi::Outcome<std::unique_ptr<mpi::Launcher>> (*)();
  // Is told the secret of the job, if it has more than one rank.
  using Learn = void (*)(const mpi::JobSecret&);
  LaunchedGroup(Open open, Learn learn) : open_(open), learn_(learn) {}

  // What is known so far. The first call opens the launcher, and blocks until it has answered.
  // After a failure every call fails with the same sentence.
  mpi::Outcome<ProcessGroup> ask();
  // The same with all names. `own` describes the interface that this process has opened. The first
  // call blocks until all ranks have called it, and know the secret of the job. It then finalizes
  // the launcher, so that this process may end at any time from then on.
  mpi::Outcome<ProcessGroup> exchange_names(const mpi::BusinessCard& own);

  // The whole group after exchange_names() has succeeded; else null. Null also in a child of
  // fork(), because the launcher belongs to its parent.
  const ProcessGroup* known() const;

 private:
  mpi::Problem broken(const std::string& sentence);

  Open open_;
  Learn learn_;
  std::unique_ptr<mpi::Launcher> launcher_;
  pid_t asked_by_ = 0;  // the operating-system process to which the launcher belongs
  ProcessGroup group_;
  bool asked_ = false;
  std::string failure_;  // empty: none so far
};

}  // namespace lintel::p3rt
