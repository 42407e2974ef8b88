#include "mpi_layer/p3rt/launched_group.h"

#include <unistd.h>

#include "mpi_layer/bootstrap/world.h"

namespace lintel::p3rt {

using mpi::Outcome;
using mpi::Problem;

Outcome<ProcessGroup> LaunchedGroup::ask() {
  if (!failure_.empty()) return Problem{failure_};
  if (asked_) return group_;
  Outcome<std::unique_ptr<mpi::Launcher>> launcher = open_();
  if (!launcher) return broken(launcher.sentence());
  launcher_ = std::move(*launcher);
  asked_ = true;
  asked_by_ = ::getpid();
  group_ = {.rank = launcher_->rank(), .size = launcher_->size(), .of_launcher = true};
  return group_;
}

Outcome<ProcessGroup> LaunchedGroup::exchange_names(const mpi::BusinessCard& own) {
  if (const Outcome<ProcessGroup> asked = ask(); !asked) return asked.failure();
  if (group_.complete()) return group_;
  if (asked_by_ != ::getpid()) {
    return Problem{
        "a child of fork() cannot ask its parent's launcher who the other ranks are; expected the "
        "parent to open its interface before"};
  }
  Outcome<mpi::World> world = open_world(*launcher_, own);
  if (!world) return broken(world.sentence());
  std::vector<NodeId> nids;
  std::vector<Pid> pids;
  for (const ProcessId process : world->processes) {
    nids.push_back(process.nid);
    pids.push_back(process.pid);
  }
  if (group_.size > 1) {
    learn_(world->secret);
    // A rank that has not learnt it yet would refuse who has.
    if (const Outcome<> all = launcher_->barrier(); !all) return broken(all.sentence());
  }
  const Outcome<> ended = launcher_->finalize();
  launcher_.reset();
  if (!ended) return broken(ended.sentence());
  group_.nids = std::move(nids);
  group_.pids = std::move(pids);
  return group_;
}

const ProcessGroup* LaunchedGroup::known() const {
  return group_.complete() && asked_by_ == ::getpid() ? &group_ : nullptr;
}

Problem LaunchedGroup::broken(const std::string& sentence) {
  failure_ = sentence;
  launcher_.reset();
  return Problem{failure_};
}

}  // namespace lintel::p3rt
