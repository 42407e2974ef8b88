#include "portals/engine/interface/access_control.h"

namespace lintel::portals {
namespace {

constexpr std::uint32_t kAny = 0xffffffffU;

bool agrees(std::uint32_t rule, std::uint32_t value) { return rule == kAny || rule == value; }

}  // namespace

AccessControl::AccessControl(std::uint32_t max_index, UserId owner)
    : entries_(std::size_t{max_index} + 1,
               AccessEntry{{NodeId(kAny), Pid(kAny)}, owner, JobId(kAny), kAny}) {}

bool AccessControl::set(std::uint32_t index, const AccessEntry& entry) {
  if (index >= entries_.size()) return false;
  entries_[index] = entry;
  return true;
}

AccessControl::Verdict AccessControl::check(std::uint32_t index, ProcessId initiator, UserId user,
                                            JobId job, std::uint32_t portal_index) const {
  if (index >= entries_.size()) return Verdict::kBadIndex;
  const AccessEntry& entry = entries_[index];
  const bool admitted = agrees(entry.initiator.nid.value, initiator.nid.value) &&
                        agrees(entry.initiator.pid.value, initiator.pid.value) &&
                        agrees(entry.user.value, user.value) &&
                        agrees(entry.job.value, job.value) &&
                        agrees(entry.portal_index, portal_index);
  return admitted ? Verdict::kAdmitted : Verdict::kDenied;
}

}  // namespace lintel::portals
