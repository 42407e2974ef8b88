#pragma once
// LaunchedGroup: the group that this process' launcher tells of: rank and size when it is asked,
// the names when all ranks have an interface.
//
// One for each process, because the launcher can be asked once. Its owner keeps threads apart.
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
  explicit LaunchedGroup(Open open) : open_(open) {}

  // What is known. The first call opens the launcher, and blocks until it has answered. What went
  // wrong once goes wrong again, with the same sentence.
  mpi::Outcome<ProcessGroup> ask();
  // The same with all names. `own` describes the interface that this process has opened. The first
  // call blocks until all ranks have called it; then the launcher is let go, so that from then on
  // this process may end as it likes.
  mpi::Outcome<ProcessGroup> meet(const mpi::BusinessCard& own);

  // The whole group, if all have met and the launcher was this operating-system process'; null for
  // a child of fork().
  const ProcessGroup* known() const;

 private:
  mpi::Problem broken(const std::string& sentence);

  Open open_;
  std::unique_ptr<mpi::Launcher> launcher_;
  pid_t asked_by_ = 0;  // the operating-system process to which the launcher belongs
  ProcessGroup group_;
  bool asked_ = false;
  std::string failure_;  // empty: none so far
};

}  // namespace lintel::p3rt
